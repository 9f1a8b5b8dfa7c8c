// The program for the person, run as a process of its own in a home and a project of their own.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../js/cli.js", import.meta.url));

/** The version that the opencode of these tests says it is. */
export const VERSION = "1.18.33";

/** A home, a project and an opencode that only knows its version. */
export class Machine {
  root = mkdtempSync(join(tmpdir(), "todo-keeper-cli-"));
  home = join(this.root, "home");
  project = join(this.root, "project");
  global = join(this.home, ".config", "opencode");
  #bin = join(this.root, "bin");

  constructor(files = {}) {
    for (const folder of [this.global, this.project, this.#bin])
      mkdirSync(folder, { recursive: true });
    this.write(files);
    this.installOpencode(`echo ${VERSION}`);
  }

  /** Writes files, by their paths from the root; an object is written as JSON, `null` stands for a folder. */
  write(files) {
    for (const [name, content] of Object.entries(files)) {
      const file = join(this.root, name);
      mkdirSync(content === null ? file : dirname(file), { recursive: true });
      if (content === null) continue;
      const isText = typeof content === "string" || Buffer.isBuffer(content);
      writeFileSync(file, isText ? content : JSON.stringify(content));
    }
  }

  installOpencode(script) {
    writeFileSync(join(this.#bin, "opencode"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  uninstallOpencode() {
    rmSync(join(this.#bin, "opencode"));
  }

  /** Runs the program; `folder` is where, from the root. */
  run(args, { env = {}, folder = "project" } = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
      cwd: join(this.root, folder),
      env: {
        PATH: this.#bin,
        HOME: this.home,
        // The tests' own Bun is opencode's binary.
        ...(process.env.BUN_BE_BUN && { BUN_BE_BUN: process.env.BUN_BE_BUN }),
        ...env,
      },
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }

  /** What `doctor --json` says, and its exit code. */
  doctor(options) {
    const { status, stdout, stderr } = this.run(["doctor", "--json"], options);
    if (stdout === "") throw new Error(`the doctor said nothing: ${stderr}`);
    const report = JSON.parse(stdout);
    return { status, report, codes: report.findings.map(({ code }) => code) };
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true });
  }
}
