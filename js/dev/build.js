// `npm run build`: the Rust core → wasm-bindgen → wasm-opt → pkg/, which is committed.
// `npm run build -- --check` builds again and fails when pkg/ is not what the sources give.
// `npm run build -- --traps` builds the module that `tests/traps` needs, into .cache/traps.
//
// The form of the module: `--target web`, instantiated by the caller with `initSync` on the bytes of
// the .wasm file, because
// - nothing runs at import, so the shim can catch a missing or damaged .wasm file and tell the
//   person; forms that instantiate at import make the whole plugin fail, which opencode keeps silent;
// - it is the form for ESM that can be reset: after a trap the stack pointer and the memory of the
//   instance are in an unknown state. `--experimental-reset-state-function` adds
//   `__wbg_reset_state()`, which puts a fresh instance of the compiled module in place at once; the
//   old one is garbage. Objects of the old instance then throw when they are used, instead of
//   writing into the new one's memory. wasm-bindgen offers it for `web`, `nodejs` (CommonJS) and
//   `module` (which Node 20 and Bun cannot load), and refuses it for `experimental-nodejs-module`.
// `--omit-default-module-path` leaves out the branch that would fetch the module by itself.
//
// The module has a standard library of its own, built here for size and without the messages of
// panics: wasm32-unknown-unknown has nowhere to print them, so that the shim sees a trap and no
// more, with or without them. With the code that formats them the module was a fifth larger.
// Neither is a stable option of cargo, hence RUSTC_BOOTSTRAP. Tests use the ordinary library and
// show their panics.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { CACHE, Failure, heading, ROOT, run, script } from "./project.js";
import { cargoHome, remapped, stdSources } from "./remap.js";
import { rustc, WASM_TARGET } from "./rust.js";
import { setUpNpm, setUpRust, TOOLS } from "./setup.js";

/** @typedef {import("./rust.js").Rust} Rust */

const NAME = "todo_keeper";
const PKG = join(ROOT, "pkg");
const TRAPS = join(CACHE, "traps");
const BUDGET_BYTES = 200_000;
const BUDGET_GZIPPED_BYTES = 80_000;

const OWN_STD = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];
const SILENT_PANICS = ["-Zunstable-options", "-Cpanic=immediate-abort"];

await script(() => {
  setUpNpm();
  const rust = setUpRust();
  mkdirSync(CACHE, { recursive: true });
  const out = mkdtempSync(join(CACHE, "pkg-"));
  try {
    heading(`build with ${rust.wasmRustc}`);
    const isTrapping = process.argv.includes("--traps");
    build(rust, out, isTrapping ? ["--features", "traps"] : []);
    if (isTrapping) {
      rmSync(TRAPS, { recursive: true, force: true });
      cpSync(out, TRAPS, { recursive: true });
      return;
    }
    weigh(join(out, `${NAME}_bg.wasm`));
    if (process.argv.includes("--check")) {
      compare(out, rust);
      return;
    }
    rmSync(PKG, { recursive: true, force: true });
    mkdirSync(PKG);
    for (const name of readdirSync(out)) cpSync(join(out, name), join(PKG, name));
    console.log("written to pkg/");
  } finally {
    rmSync(out, { recursive: true });
  }
});

/**
 * @param {Rust} rust
 * @param {string} out an empty folder
 * @param {string[]} features
 */
function build(rust, out, features) {
  const target = ["--target", WASM_TARGET, "--target-dir", rust.wasmTargetDir];
  run("cargo", ["build", "--locked", "--release", "--lib", ...features, ...target, ...OWN_STD], {
    env: { ...remapped(rust.wasm, foldersOf(rust), SILENT_PANICS), RUSTC_BOOTSTRAP: "1" },
  });
  const built = join(rust.wasmTargetDir, WASM_TARGET, "release", `${NAME}.wasm`);
  run(join(TOOLS, "wasm-bindgen"), [
    ...["--target", "web", "--experimental-reset-state-function", "--omit-default-module-path"],
    ...["--out-dir", out, "--out-name", NAME, built],
  ]);
  // The raw exports of the instance: nobody calls them but the generated JavaScript.
  rmSync(join(out, `${NAME}_bg.wasm.d.ts`));

  const wasm = join(out, `${NAME}_bg.wasm`);
  // Not --all-features: it lets through what Node 20 rejects. The module says which ones it uses. The low memory is
  // unused: the stack lies there and grows down to it.
  run(process.execPath, [
    wasmOpt(),
    "-Oz",
    "--low-memory-unused",
    "--strip-producers",
    wasm,
    "-o",
    wasm,
  ]);
  refuseBuilderPaths(wasm, rust);
  writeFileSync(join(out, "BUILD.json"), `${JSON.stringify(versions(rust), null, 2)}\n`);
}

/**
 * @param {Rust} rust
 * @returns {[from: string, to: string][]}
 */
function foldersOf(rust) {
  // By the name that the ordinary library has for its sources.
  const commit = /^commit-hash: (\S+)$/m.exec(rustc(rust.wasm, "-vV"))?.[1] ?? "unknown";
  return [
    // First, since the checkout may hold all the others.
    [ROOT, "."],
    [rust.wasmTargetDir, "target"],
    [stdSources(rust.wasmSysroot), `/rustc/${commit}`],
  ];
}

function wasmOpt() {
  return join(ROOT, "node_modules", "binaryen", "bin", "wasm-opt");
}

/**
 * @param {string} wasm
 * @param {Rust} rust
 */
function refuseBuilderPaths(wasm, rust) {
  const text = readFileSync(wasm, "latin1");
  for (const folder of [ROOT, cargoHome(rust.wasm), rust.wasmSysroot]) {
    if (!text.includes(folder)) continue;
    throw new Failure(
      `expected no path of this machine in the module, found ${folder}; add it to the remappings in js/dev/build.js`,
    );
  }
}

/** @param {Rust} rust */
function versions(rust) {
  const lock = readFileSync(join(ROOT, "Cargo.lock"), "utf8");
  const binaryen = JSON.parse(
    readFileSync(join(ROOT, "node_modules/binaryen/package.json"), "utf8"),
  ).version;
  return {
    rustc: rust.wasmRustc,
    "wasm-bindgen": /^name = "wasm-bindgen"\nversion = "(.+)"$/m.exec(lock)?.[1],
    binaryen,
  };
}

/** @param {string} wasm */
function weigh(wasm) {
  const bytes = readFileSync(wasm);
  const gzipped = gzipSync(bytes, { level: 9 }).length;
  console.log(
    `${bytes.length} bytes of ${BUDGET_BYTES}, gzipped ${gzipped} of ${BUDGET_GZIPPED_BYTES}`,
  );
  if (bytes.length <= BUDGET_BYTES && gzipped <= BUDGET_GZIPPED_BYTES) return;
  throw new Failure(
    "expected the module within its size budget, found it over; see what a new dependency brought, or give it up",
  );
}

/**
 * @param {string} fresh
 * @param {Rust} rust
 */
function compare(fresh, rust) {
  const committed = join(PKG, "BUILD.json");
  if (!existsSync(committed))
    throw new Failure(
      "expected pkg/ to be committed, found none; run `npm run build` and commit it",
    );
  const recorded = JSON.parse(readFileSync(committed, "utf8")).rustc;
  if (recorded !== rust.wasmRustc) {
    console.log(
      `NOT compared with pkg/: it was built by ${recorded}, and other compilers give other bytes`,
    );
    return;
  }
  const names = [...new Set([...readdirSync(PKG), ...readdirSync(fresh)])].sort();
  const stale = names.filter((name) => !isSame(join(PKG, name), join(fresh, name)));
  if (stale.length > 0) {
    throw new Failure(
      `expected pkg/ to be what the sources give, found a difference in ${stale.join(", ")}; run \`npm run build\` and commit pkg/`,
    );
  }
  console.log("pkg/ is what the sources give");
}

/**
 * @param {string} one
 * @param {string} other
 */
function isSame(one, other) {
  return existsSync(one) && existsSync(other) && readFileSync(one).equals(readFileSync(other));
}
