// `npm test`: everything, one section after the other; `npm test -- rust wasm js model e2e` runs some.
// A section in which no test ran has failed: a wrong path must not look like success.

import { spawn } from "node:child_process";
import { Failure, filesIn, heading, nativeProgram, ROOT, run, script } from "./project.js";
import { setUpNpm, setUpRust } from "./setup.js";

/** @typedef {import("./project.js").Env} Env */
/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/**
 * @typedef {object} Run
 * @property {string} title
 * @property {string} command
 * @property {string[]} args
 * @property {Env} [env]
 * @property {(printed: string) => Counts} count
 * @property {string} [missing] what keeps it from running
 */

const SECTIONS = ["rust", "wasm", "js", "model", "traps", "e2e"];

const NEED_RUST = ["rust", "wasm", "traps"];

await script(async () => {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !SECTIONS.includes(name));
  if (unknown !== undefined)
    throw new Failure(`expected sections out of ${SECTIONS.join(", ")}, found ${unknown}`);
  const sections = SECTIONS.filter((name) => wanted.length === 0 || wanted.includes(name));

  heading("set-up");
  setUpNpm();
  const rust = sections.some((name) => NEED_RUST.includes(name)) ? setUpRust() : undefined;

  const results = [];
  for (const tests of sections.flatMap((section) => runsOf(section, rust))) {
    heading(tests.title);
    results.push({ title: tests.title, ...(await execute(tests)) });
  }
  report(results);
});

/**
 * @param {string} section
 * @param {import("./rust.js").Rust | undefined} rust
 * @returns {Run[]}
 */
function runsOf(section, rust) {
  if (section === "rust" && rust) {
    return [
      {
        title: "rust: cargo test",
        command: "cargo",
        args: ["test", "--locked", "--workspace"],
        env: rust.native,
        count: countCargo,
      },
    ];
  }
  if (section === "wasm" && rust) {
    // Only this file: the rest is the same code as natively, and the runner rejects cargo's -q.
    const args = ["test", "--locked", "--target", "wasm32-unknown-unknown", "--test", "wasm"];
    const env = { ...rust.wasm, CARGO_TARGET_DIR: rust.wasmTargetDir };
    return [
      { title: "wasm: the boundary in Node", command: "cargo", args, env, count: countCargo },
    ];
  }
  if (section === "js") {
    return [
      nodeTests("js: the shim in Node", "tests/js"),
      bunTests("js: the shim in Bun", nativeProgram("bun"), {}),
      // The very runtime that plugins live in. Its node:test knows describe, it, before and after,
      // but no t.test and no mock.
      bunTests("js: the shim in opencode's own Bun", nativeProgram("opencode"), {
        BUN_BE_BUN: "1",
      }),
    ];
  }
  if (section === "model") {
    // Long, and the same in every runtime: once, one file beside the other.
    return [nodeTests("model: random sequences", "tests/model", ["--test-concurrency=2"])];
  }
  if (section === "traps") {
    // A module of its own, with ways to trap that the package's has not.
    run(process.execPath, ["js/dev/build.js", "--traps"]);
    return [nodeTests("traps: a core that panics and runs out of memory", "tests/traps")];
  }
  // Most of a test's time is waiting, for what must not come too.
  return [nodeTests("e2e: the packed plugin in opencode", "tests/e2e", ["--test-concurrency=2"])];
}

/**
 * @param {string} title
 * @param {string} folder
 * @param {string[]} [flags]
 * @returns {Run}
 */
function nodeTests(title, folder, flags = []) {
  const files = filesIn(folder, ".test.js");
  // Node 20 takes files, not patterns. The reporter is named, since the default depends on the terminal.
  const args = ["--test", "--test-reporter=spec", ...flags, ...files];
  return { title, command: process.execPath, args, count: countNode, ...orMissing(folder, files) };
}

/**
 * @param {string} title
 * @param {string} bun
 * @param {Env} env
 * @returns {Run}
 */
function bunTests(title, bun, env) {
  const folder = "tests/js";
  const files = filesIn(folder, ".test.js").map((file) => `./${file}`);
  const args = ["test", ...files];
  return {
    title,
    command: bun,
    args,
    env: { ...process.env, ...env },
    count: countBun,
    ...orMissing(folder, files),
  };
}

/**
 * Without a file both runners would look for tests everywhere.
 *
 * @param {string} folder
 * @param {string[]} files
 */
function orMissing(folder, files) {
  return files.length > 0 ? {} : { missing: `expected tests in ${folder}/*.test.js, found none` };
}

/**
 * Shows what the command prints while it runs, and counts its tests.
 *
 * @param {Run} run
 * @returns {Promise<Counts & { error?: string }>}
 */
async function execute(run) {
  if (run.missing !== undefined) {
    console.log(run.missing);
    return { passed: 0, failed: 0, skipped: 0, error: run.missing };
  }
  const env = { ...(run.env ?? process.env), FORCE_COLOR: "0" };
  const child = spawn(run.command, run.args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const [from, to] of /** @type {const} */ ([
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])) {
    from.setEncoding("utf8").on("data", (text) => {
      printed += text;
      to.write(text);
    });
  }
  /** @type {string | undefined} */
  const ending = await new Promise((resolve) => {
    child.on("error", (error) => resolve(`could not start: ${error.message}`));
    child.on("close", (code, signal) =>
      resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)),
    );
  });
  const counts = run.count(printed);
  const error = ending ?? (counts.passed + counts.failed === 0 ? "no test ran" : undefined);
  return error === undefined ? counts : { ...counts, error };
}

/** @param {string} printed */
function countCargo(printed) {
  return {
    passed: sum(printed, /^test result: .*?(\d+) passed/gm),
    failed: sum(printed, /^test result: .*?(\d+) failed/gm),
    skipped: sum(printed, /^test result: .*?(\d+) ignored/gm),
  };
}

/** @param {string} printed */
function countNode(printed) {
  return {
    passed: sum(printed, /^ℹ pass (\d+)$/gm),
    failed: sum(printed, /^ℹ (?:fail|cancelled) (\d+)$/gm),
    skipped: sum(printed, /^ℹ (?:skipped|todo) (\d+)$/gm),
  };
}

/** @param {string} printed */
function countBun(printed) {
  return {
    passed: sum(printed, /^ *(\d+) pass$/gm),
    failed: sum(printed, /^ *(\d+) (?:fail|errors?)$/gm),
    skipped: sum(printed, /^ *(\d+) (?:skip|todo)$/gm),
  };
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 */
function sum(text, pattern) {
  return [...text.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
}

/** @param {(Counts & { title: string, error?: string })[]} results */
function report(results) {
  heading("tests");
  for (const { title, passed, failed, skipped, error } of results) {
    const left = skipped > 0 ? `, ${skipped} skipped` : "";
    console.log(
      `${title}: ${passed} passed, ${failed} failed${left}${error ? `  FAILED (${error})` : ""}`,
    );
  }
  const bad = results.filter(({ failed, error }) => failed > 0 || error !== undefined);
  if (bad.length > 0) {
    console.log(`failed sections: ${bad.map(({ title }) => title).join("; ")}`);
    process.exitCode = 1;
  }
  const passed = results.reduce((total, result) => total + result.passed, 0);
  // A section that broke without a failed test still counts: the last line alone must tell.
  const failed = results.reduce(
    (total, result) => total + (result.error ? Math.max(result.failed, 1) : result.failed),
    0,
  );
  console.log(`\n${passed} passed, ${failed} failed`);
}
