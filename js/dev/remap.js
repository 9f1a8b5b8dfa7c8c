// Keeps the builder's folders out of what is compiled, so that it is the same wherever it is built.

import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "./project.js";

/** @typedef {import("./project.js").Env} Env */

/** @param {Env} env */
export function cargoHome(env) {
  return env["CARGO_HOME"] ?? join(homedir(), ".cargo");
}

/**
 * The environment in which cargo calls `folders`, and its own folder of crates, by other names.
 *
 * @param {Env} env
 * @param {[from: string, to: string][]} folders where several fit, the last one wins
 * @param {string[]} [flags] for the compiler, beside the renaming
 * @returns {Env}
 */
export function remapped(env, folders, flags = []) {
  // So that the folder of crates is there to be listed; its name differs from registry to registry.
  run("cargo", ["fetch", "-q", "--locked"], { env });
  const registry = join(cargoHome(env), "registry", "src");
  const crates = existsSync(registry) ? readdirSync(registry) : [];
  /** @type {[string, string][]} */
  const all = [
    ...folders,
    ...crates.map((name) => /** @type {[string, string]} */ ([join(registry, name), "crates"])),
  ];
  // cargo's own form of RUSTFLAGS for paths with spaces; it also keeps a person's RUSTFLAGS out.
  const renaming = all.map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  return { ...env, CARGO_ENCODED_RUSTFLAGS: [...flags, ...renaming].join("\x1f") };
}

/**
 * @param {string} sysroot
 * @returns {string} where its compiler looks for the sources of the standard library
 */
export function stdSources(sysroot) {
  return join(sysroot, "lib", "rustlib", "src", "rust");
}
