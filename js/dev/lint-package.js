// The parts of `npm run lint` about what is published and what it is built from: the packed tarball as npm's and
// TypeScript's users see it, and the licences and known holes of the crates and npm packages.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CACHE, Failure, output, ROOT, run } from "./project.js";

/** @typedef {import("./project.js").Env} Env */

/** A database that does not answer must not hold the checks up. */
const LIMIT_MS = 60_000;

/** publint and "Are the Types Wrong?" on the tarball that npm would publish. Neither asks a network. */
export function lintTarball() {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "tarball-"));
  try {
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
    const packed = output("npm", args);
    if (!packed) throw new Failure(`expected \`npm ${args.join(" ")}\` to pack, found an error`);
    const tarball = join(folder, JSON.parse(packed)[0].filename);
    const program = (/** @type {string[]} */ ...path) => join(ROOT, "node_modules", ...path);
    const node = process.execPath;
    run(node, [program("publint", "src", "cli.js"), "run", tarball, "--strict"]);
    // CommonJS and resolution by `main` alone do not concern a plugin: opencode and Node 20 read `exports`.
    const types = [
      "--profile",
      "esm-only",
      "--no-definitely-typed",
      "--no-summary",
      "--format",
      "ascii",
    ];
    run(node, [program("@arethetypeswrong", "cli", "dist", "index.js"), tarball, ...types]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * cargo-deny by `.deny.toml`: licences, duplicates and sources always, advisories where their database answers.
 *
 * @param {Env} env
 */
export function denyCrates(env) {
  if (output("cargo", ["deny", "--version"], { env }) === undefined) {
    console.log("SKIPPED: no crate was checked: `cargo install --locked cargo-deny` brings it");
    return;
  }
  const deny = ["deny", "--locked"];
  run("cargo", [...deny, "check", "licenses", "bans", "sources"], { env });
  const found = capture("cargo", [...deny, "check", "advisories"], env);
  if (/failed to fetch advisory database/.test(found.text)) {
    console.log("SKIPPED: no advisory was looked for: the database of advisories did not answer");
    return;
  }
  console.log(found.text);
  if (found.status !== 0)
    throw new Failure("expected no advisory about a crate, found the ones above; update the crate");
}

/** `npm audit` of everything, the tools of development too. */
export function auditPackages() {
  const found = capture("npm", ["audit", "--json"], process.env);
  /** @type {{ error?: unknown, message?: string, metadata?: { vulnerabilities: Record<string, number> } }} */
  let report = {};
  try {
    report = JSON.parse(found.text.slice(found.text.indexOf("{"), found.text.lastIndexOf("}") + 1));
  } catch {
    // Says nothing, as below.
  }
  const counts = report.metadata?.vulnerabilities;
  if (!counts) {
    console.log("SKIPPED: no npm package was checked: the registry did not answer the audit");
    return;
  }
  console.log(JSON.stringify(counts));
  if ((counts["high"] ?? 0) + (counts["critical"] ?? 0) > 0)
    throw new Failure(
      "expected no grave advisory about a npm package, found some; `npm audit` names them",
    );
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Env} env
 * @returns {{ status: number | null, text: string }}
 */
function capture(command, args, env) {
  const done = spawnSync(command, args, {
    cwd: ROOT,
    env: { ...env, CARGO_TERM_COLOR: "never" },
    encoding: "utf8",
    timeout: LIMIT_MS,
  });
  return { status: done.status, text: `${done.stdout}${done.stderr}` };
}
