// `npm run fuzz`: throws arbitrary texts, made of the seeds, at every entry of the core for half a minute; CI does it too.
// `npm run fuzz -- --seconds 600 inputs` goes on from what earlier such runs found, in one target or in all.
//
// These are the targets of cargo-fuzz, built without it: for what LLVM counts, the pinned compiler is enough. cargo-fuzz
// would ask for a nightly one, for AddressSanitizer, which looks for what safe Rust does not do.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CACHE, Failure, heading, output, ROOT, run, script } from "./project.js";
import { findRust, rustc } from "./rust.js";

const SEEDS = join(ROOT, "fuzz", "seeds");
const FOUND = join(CACHE, "fuzz");
const TARGETS = readdirSync(SEEDS).sort();

/** How often each target is run when no time is given. */
const RUNS = 20_000;

/** What cargo-fuzz sets too: count branches, and show what values are compared with. */
const COVERAGE = [
  "-Cpasses=sancov-module",
  "-Cllvm-args=-sanitizer-coverage-level=4",
  "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
  "-Cllvm-args=-sanitizer-coverage-pc-table",
  "-Cllvm-args=-sanitizer-coverage-trace-compares",
  "-Ccodegen-units=1",
  "--cfg=fuzzing",
];

await script(() => {
  const { values, positionals } = parseArgs({
    options: { seconds: { type: "string" } },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !TARGETS.includes(name));
  if (unknown !== undefined)
    throw new Failure(`expected one of ${TARGETS.join(", ")}, found ${unknown}`);
  const lacks = whatIsMissing();
  if (lacks !== undefined) {
    console.log(`\nSKIPPED: nothing was fuzzed, since ${lacks}`);
    return;
  }
  heading("fuzz: build");
  const folder = build();
  for (const name of positionals.length > 0 ? positionals : TARGETS) {
    heading(`fuzz: ${name}`);
    fuzz(join(folder, name), name, values.seconds);
  }
});

/** @returns {string | undefined} */
function whatIsMissing() {
  if (process.platform === "win32") return "libFuzzer is not built on Windows here";
  const compiler = process.env["CXX"] ?? "c++";
  return output(compiler, ["--version"]) === undefined
    ? `libFuzzer is C++, and there is no ${compiler}`
    : undefined;
}

/** @returns {string} the folder of the built targets */
function build() {
  const { native } = findRust();
  const host = /^host: (\S+)$/m.exec(rustc(native, "-vV"))?.[1];
  if (!host) throw new Failure("expected `rustc -vV` to name the host, found no such line");
  const folder = join(CACHE, "fuzz-target");
  // With --target the flags are for the targets alone, and not for build scripts and macros.
  const args = ["build", "--locked", "--release", "--manifest-path", "fuzz/Cargo.toml"];
  run("cargo", [...args, "--target", host, "--target-dir", folder], {
    env: { ...native, CARGO_ENCODED_RUSTFLAGS: COVERAGE.join("\x1f") },
  });
  return join(folder, host, "release");
}

/**
 * @param {string} program
 * @param {string} name
 * @param {string | undefined} seconds
 */
function fuzz(program, name, seconds) {
  mkdirSync(FOUND, { recursive: true });
  // New texts go to the first folder: never to the seeds.
  const corpus = seconds === undefined ? mkdtempSync(join(FOUND, "once-")) : join(FOUND, name);
  mkdirSync(corpus, { recursive: true });
  const limits =
    seconds === undefined ? [`-runs=${RUNS}`, "-seed=1"] : [`-max_total_time=${seconds}`];
  const crashes = join(FOUND, `${name}-`);
  const flags = ["-timeout=10", "-max_len=16384", `-artifact_prefix=${crashes}`];
  try {
    const done = spawnSync(program, [...limits, ...flags, corpus, join(SEEDS, name)], {
      cwd: FOUND,
      encoding: "utf8",
      stdio: ["ignore", "inherit", "pipe"],
      maxBuffer: 1 << 30,
    });
    if (done.status === 0) {
      // The rest is each text that reached something new.
      console.log(/^#\d+\s+DONE .*$/m.exec(done.stderr)?.[0] ?? done.stderr);
      return;
    }
    console.error(done.stderr?.slice(-10_000) ?? done.error);
    throw new Failure(
      `expected no text to break ${name}, found one; it lies in ${FOUND}, and \`${program} FILE\` shows it again`,
    );
  } finally {
    if (seconds === undefined) rmSync(corpus, { recursive: true });
  }
}
