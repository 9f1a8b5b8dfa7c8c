// Finds the Rust toolchain that this project is pinned to, and a standard library for wasm32: built for the
// tests, and as sources for the module, whose build makes its own (js/dev/build.js).

import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { debianWasmCompiler } from "./debian-wasm.js";
import { CACHE, Failure, output, ROOT, run } from "./project.js";
import { stdSources } from "./remap.js";

/** @typedef {import("./project.js").Env} Env */

export const WASM_TARGET = "wasm32-unknown-unknown";

/** A server that does not answer must not look like a build that hangs. */
const RUSTUP_LIMIT_SECONDS = 120;

/**
 * @typedef {object} Rust
 * @property {Env} native environment for cargo on this machine's own target
 * @property {Env} wasm environment for cargo with `--target wasm32-unknown-unknown`
 * @property {string} wasmRustc the full version line of the compiler that `wasm` uses
 * @property {string} wasmSysroot
 * @property {string} wasmTargetDir one for each compiler: each throws the other's output away
 * @property {boolean} isFallback whether `wasm` uses another compiler than `native`
 */

/**
 * Everything that cargo needs, installed where it is missing.
 *
 * @returns {Rust}
 */
export function findRust() {
  const native = pinnedToolchain(cargoEnvironment());
  const sysroot = rustc(native, "--print", "sysroot");
  let wasm = native;
  if (process.env["TODO_KEEPER_WASM"] === "debian" || !hasWasm(sysroot)) {
    wasm =
      process.env["TODO_KEEPER_WASM"] !== "debian" && addWasm(native, sysroot)
        ? native
        : debianWasmCompiler(native);
  }
  const wasmRustc = rustc(wasm, "--version");
  return {
    native,
    wasm,
    wasmRustc,
    wasmSysroot: rustc(wasm, "--print", "sysroot"),
    wasmTargetDir: join(CACHE, `wasm-${wasmRustc.split(" ")[1]}`),
    isFallback: wasm !== native,
  };
}

/**
 * The environment in which `cargo` starts, also when HOME is not the home that Rust was installed
 * in: rustup's proxies and cargo look below HOME unless they are told where to look.
 *
 * @returns {Env}
 */
function cargoEnvironment() {
  const bin = cargoFolder();
  // rustup would install a missing toolchain by itself, without a time limit.
  /** @type {Env} */
  const env = { ...process.env, RUSTUP_AUTO_INSTALL: "0" };
  env["PATH"] = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
  const installed = dirname(bin);
  if (!env["RUSTUP_HOME"] && !existsSync(join(homedir(), ".rustup"))) {
    // `.cargo` and `.rustup` in a home, `cargo` and `rustup` in container images.
    const beside = [".rustup", "rustup"]
      .map((name) => join(dirname(installed), name))
      .find(existsSync);
    if (beside) env["RUSTUP_HOME"] = beside;
  }
  if (!env["CARGO_HOME"] && !existsSync(join(homedir(), ".cargo"))) {
    env["CARGO_HOME"] = isWritable(join(installed, "registry")) ? installed : join(CACHE, "cargo");
  }
  return env;
}

/** @returns {string} the folder that holds cargo */
function cargoFolder() {
  const cargo = process.platform === "win32" ? "cargo.exe" : "cargo";
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    join(process.env["CARGO_HOME"] ?? join(homedir(), ".cargo"), "bin"),
    // The home of the account, whatever HOME says.
    join(userInfo().homedir, ".cargo", "bin"),
  ];
  const found = folders.find((folder) => folder !== "" && existsSync(join(folder, cargo)));
  if (found) return found;
  throw new Failure(
    "expected cargo (the Rust build tool) on PATH or in ~/.cargo/bin, found none; install rustup " +
      "(https://rustup.rs), which brings it, and run this again. " +
      "`npm run demo` does not need Rust: it uses the committed module in pkg/",
  );
}

/**
 * Makes sure that the pinned version answers, by another of its names if need be.
 *
 * @param {Env} env
 * @returns {Env}
 */
function pinnedToolchain(env) {
  const pinned = /^channel = "(.+)"$/m.exec(
    readFileSync(join(ROOT, "rust-toolchain.toml"), "utf8"),
  )?.[1];
  if (!pinned)
    throw new Failure('expected a line `channel = "…"` in rust-toolchain.toml, found none');
  const present = output("rustc", ["--version"], { env });
  if (present?.startsWith(`rustc ${pinned} `)) return env;
  if (env["RUSTUP_TOOLCHAIN"] && present) {
    console.log(`note: RUSTUP_TOOLCHAIN asks for ${present}; the project is pinned to ${pinned}`);
    return env;
  }

  const names = output("rustup", ["toolchain", "list"], { env })?.split("\n") ?? [];
  for (const line of names) {
    const named = { ...env, RUSTUP_TOOLCHAIN: line.split(" ")[0] };
    if (output("rustc", ["--version"], { env: named })?.startsWith(`rustc ${pinned} `))
      return named;
  }
  if (names.length > 0) {
    console.log(`installing Rust ${pinned}`);
    const args = [
      "toolchain",
      "install",
      pinned,
      "--profile",
      "minimal",
      "-c",
      "clippy",
      "-c",
      "rustfmt",
      "-c",
      "rust-src",
    ];
    run("rustup", [...args, "-t", WASM_TARGET], { env, limitSeconds: 3 * RUSTUP_LIMIT_SECONDS });
    return env;
  }
  if (present) {
    console.log(
      `note: found ${present} and no rustup to change it; the project is pinned to ${pinned}`,
    );
    return env;
  }
  throw new Failure(
    `expected Rust ${pinned}, found no rustc that starts and no rustup; install rustup (https://rustup.rs)`,
  );
}

/**
 * @param {Env} env
 * @param {string} sysroot
 * @returns {boolean} whether both are there now
 */
function addWasm(env, sysroot) {
  console.log(`adding the Rust standard library for ${WASM_TARGET} and its sources`);
  try {
    run("rustup", ["target", "add", WASM_TARGET], { env, limitSeconds: RUSTUP_LIMIT_SECONDS });
    run("rustup", ["component", "add", "rust-src"], { env, limitSeconds: RUSTUP_LIMIT_SECONDS });
  } catch (error) {
    console.log(
      `note: rustup could not add them (${error instanceof Error ? error.message : error})`,
    );
  }
  return hasWasm(sysroot);
}

/** @param {string} sysroot */
function hasWasm(sysroot) {
  const folder = join(sysroot, "lib", "rustlib", WASM_TARGET, "lib");
  const hasLibrary =
    existsSync(folder) && readdirSync(folder).some((name) => /^libstd-.*\.rlib$/.test(name));
  return hasLibrary && existsSync(join(stdSources(sysroot), "library", "Cargo.lock"));
}

/**
 * @param {Env} env
 * @param {...string} args
 * @returns {string}
 */
export function rustc(env, ...args) {
  const program = env["RUSTC"] ?? "rustc";
  const answer = output(program, args, { env });
  if (answer === undefined)
    throw new Failure(
      `expected \`${program} ${args.join(" ")}\` to answer, found an error; run it by hand`,
    );
  return answer;
}

/** @param {string} path */
function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
