// Where rustup's server does not answer: a compiler with a wasm32 standard library out of Debian's
// packages. They are unpacked into the cache, not installed.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CACHE, Failure, output, run } from "./project.js";
import { remapped, stdSources } from "./remap.js";

/** @typedef {import("./project.js").Env} Env */

const TARGET = "wasm32-unknown-unknown";
const HOST = "x86_64-unknown-linux-gnu";
const LIBRARIES = "usr/lib/x86_64-linux-gnu";

/**
 * Takes about two minutes the first time. The packages hold the compiler and the library's sources,
 * of one version; the library is built from them here, since sources of one version do not compile
 * with a compiler of another.
 *
 * @param {Env} native the environment that cargo runs in
 * @returns {Env} the same with this compiler
 */
export function debianWasmCompiler(native) {
  const home = join(CACHE, "debian-rust");
  const env = {
    ...native,
    RUSTC: join(home, "bin", "rustc"),
    RUSTDOC: join(home, "bin", "rustdoc"),
  };
  if (existsSync(join(home, "ready-with-sources"))) return env;
  if (
    process.platform !== "linux" ||
    process.arch !== "x64" ||
    output("apt-get", ["--version"]) === undefined
  ) {
    throw new Failure(
      `expected a standard library for ${TARGET}, found none, and the way around rustup works on Debian x86-64 only; ` +
        `run \`rustup target add ${TARGET}\` and try again`,
    );
  }
  console.log("building one from Debian's rustc-web and rust-web-src");
  rmSync(home, { recursive: true, force: true });
  unpack(home);
  buildStd(home, env);
  writeFileSync(join(home, "ready-with-sources"), "");
  return env;
}

/** @param {string} home */
function unpack(home) {
  const debs = join(home, "debs");
  mkdirSync(debs, { recursive: true });
  // Without apt's own lists (a fresh container) no package is known; only root may fetch them.
  if (process.getuid?.() === 0) run("apt-get", ["update", "-qq"]);
  const std = dependency("rustc-web", /libstd-rust-web-dev\S*/);
  const shared = dependency(std, /libstd-rust-web-\d\S*/);
  const llvm = dependency(shared, /libllvm\d+\S*/);
  const lld = llvm.replace("libllvm", "lld-");
  // Its notice that apt's own user cannot enter the folder is harmless.
  run("apt-get", ["download", "-qq", "rustc-web", "rust-web-src", std, shared, llvm, lld], {
    cwd: debs,
  });
  for (const deb of readdirSync(debs)) run("dpkg", ["-x", join(debs, deb), home]);
  rmSync(debs, { recursive: true });

  mkdirSync(join(home, "bin"));
  for (const program of ["rustc", "rustdoc"]) {
    const wrapper = join(home, "bin", program);
    const libraries = quoted(join(home, LIBRARIES));
    writeFileSync(
      wrapper,
      `#!/bin/sh\nLD_LIBRARY_PATH=${libraries} exec ${quoted(join(home, "usr/bin", program))} "$@"\n`,
    );
    chmodSync(wrapper, 0o755);
  }
  // The package rust-web-llvm would make these links.
  symlinkSync(`../lib/llvm-${llvm.replace("libllvm", "")}/bin/lld`, join(home, "usr/bin/rust-lld"));
  const linkers = join(home, "usr/lib/rustlib", HOST, "bin");
  mkdirSync(linkers, { recursive: true });
  symlinkSync("../../../../bin/rust-lld", join(linkers, "rust-lld"));
}

/**
 * @param {string} home
 * @param {Env} env
 */
function buildStd(home, env) {
  const crate = join(home, "std");
  mkdirSync(join(crate, "src"), { recursive: true });
  writeFileSync(join(crate, "src/lib.rs"), "");
  writeFileSync(
    join(crate, "Cargo.toml"),
    '[package]\nname = "stdonly"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n',
  );
  const parts = "-Zbuild-std=std,panic_abort,panic_unwind,test,proc_macro";
  // Building std is not a stable option of cargo, nor is any other way to a std without rustup.
  run("cargo", ["build", "-q", "--release", "--target", TARGET, parts], {
    cwd: crate,
    env: {
      ...remapped(env, [[home, "debian-rust"]]),
      RUSTC_BOOTSTRAP: "1",
      CARGO_TARGET_DIR: join(crate, "target"),
    },
  });
  const built = join(crate, "target", TARGET, "release/deps");
  const library = join(home, "usr/lib/rustlib", TARGET, "lib");
  mkdirSync(library, { recursive: true });
  for (const file of readdirSync(built)) {
    if (/^lib(?!stdonly).*\.(rlib|rmeta)$/.test(file))
      cpSync(join(built, file), join(library, file));
  }
  rmSync(crate, { recursive: true });
  // The sources of the compiler itself: nothing needs them. The module's build needs those of the library.
  const sources = stdSources(join(home, "usr"));
  for (const folder of ["compiler", "src"])
    rmSync(join(sources, folder), { recursive: true, force: true });
}

/**
 * @param {string} name
 * @param {RegExp} wanted
 * @returns {string}
 */
function dependency(name, wanted) {
  const list = output("apt-cache", ["depends", name, "--no-recommends"]) ?? "";
  for (const line of list.split("\n")) {
    const found = /^\s*Depends: (\S+)/.exec(line)?.[1];
    if (found && wanted.exec(found)?.[0] === found) return found;
  }
  throw new Failure(
    `expected Debian's package ${name} to depend on one like ${wanted}, found none; ` +
      `run \`apt-get update\`, or \`rustup target add ${TARGET}\` where rustup's server answers`,
  );
}

/** @param {string} path */
function quoted(path) {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
