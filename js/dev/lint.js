// `npm run lint`: formatting, lints, types and documentation, of both languages, and the package; shows all that is
// wrong, not only the first.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { auditPackages, denyCrates, lintTarball } from "./lint-package.js";
import { Failure, heading, output, ROOT, run, script } from "./project.js";
import { WASM_TARGET } from "./rust.js";
import { setUpNpm, setUpRust } from "./setup.js";

/** @typedef {import("./rust.js").Rust} Rust */

await script(() => {
  setUpNpm();
  const rust = setUpRust();
  /** @type {string[]} */
  const failed = [];
  for (const [title, check] of checks(rust)) {
    heading(title);
    try {
      check();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      console.error(error.message);
      failed.push(title);
    }
  }
  heading("lint");
  if (failed.length > 0) throw new Failure(`failed: ${failed.join("; ")}`);
  console.log("all clean");
});

/**
 * @param {Rust} rust
 * @returns {[string, () => void][]}
 */
function checks(rust) {
  const clippy = ["clippy", "--locked", "--workspace", "--all-targets"];
  const deny = ["--", "-D", "warnings"];
  return [
    ["cargo fmt", () => formatting(rust)],
    ["cargo clippy", () => run("cargo", [...clippy, ...deny], { env: rust.native })],
    [`cargo clippy for ${WASM_TARGET}`, () => clippyForWasm(rust, clippy, deny)],
    [
      "cargo doc",
      () =>
        run("cargo", ["doc", "--locked", "--workspace", "--no-deps", "--document-private-items"], {
          env: { ...rust.native, RUSTDOCFLAGS: "-D warnings" },
        }),
    ],
    [
      "tsc",
      () => run(process.execPath, [npmProgram("typescript", "tsc"), "-p", "js/tsconfig.json"]),
    ],
    [
      "biome",
      () =>
        run(process.execPath, [
          npmProgram("@biomejs/biome", "biome"),
          "check",
          "--error-on-warnings",
        ]),
    ],
    ["publint and types of the tarball", lintTarball],
    ["cargo deny", () => denyCrates(rust.native)],
    ["npm audit", auditPackages],
    ["paths and hosts", refuseMachineTraces],
  ];
}

/** @param {Rust} rust */
function formatting(rust) {
  run("cargo", ["fmt", "--all", "--check"], { env: rust.native });
  run("cargo", ["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"], { env: rust.native });
}

/**
 * @param {Rust} rust
 * @param {string[]} clippy
 * @param {string[]} deny
 */
function clippyForWasm(rust, clippy, deny) {
  if (rust.isFallback) {
    console.log(
      "SKIPPED: the fallback compiler brings no clippy, and rustup's has no wasm32 library here",
    );
    return;
  }
  run("cargo", [...clippy, "--target", WASM_TARGET, "--target-dir", rust.wasmTargetDir, ...deny], {
    env: rust.wasm,
  });
}

/**
 * @param {string} name of a npm package
 * @param {string} program
 */
function npmProgram(name, program) {
  return join(ROOT, "node_modules", name, "bin", program);
}

/** What belongs to one machine must not be in the repository: neither its folders nor its mirrors. */
function refuseMachineTraces() {
  const traces = [
    /(?<![\w.-])\/(?:root|work|farm|home\/[a-z]+)\//,
    /registry\.(?:npmjs|yarnpkg)|static\.rust-lang|deb\.debian|index\.crates/i,
  ];
  const tracked = output("git", ["ls-files", "-z"]);
  if (!tracked) throw new Failure("expected `git ls-files` to list the tracked files, found none");
  const found = tracked
    .split("\0")
    .filter((name) => name !== "")
    .flatMap((name) => {
      // As bytes: the module's strings are looked through too.
      const lines = readFileSync(join(ROOT, name), "latin1").split("\n");
      return lines.flatMap((line, index) => {
        const trace = traces.map((pattern) => pattern.exec(line)?.[0]).find((match) => match);
        return trace ? [`${name}:${index + 1}: ${trace}`] : [];
      });
    });
  if (found.length > 0) {
    throw new Failure(
      `expected no path or registry host of a machine, found\n${found.join("\n")}\nname them relative to the project`,
    );
  }
}
