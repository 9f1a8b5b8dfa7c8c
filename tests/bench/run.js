// `npm run bench`: how long the plugin takes, in Node and in Bun, beside the same decisions in plain JavaScript. Nothing fails
// here because it is slow: machines differ, ratios tell. `npm run bench -- --write` also writes the table of README.md.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { nativeProgram } from "../../js/dev/project.js";
import { CASES } from "./cases.js";

const ROUNDS = 7;
const OURS = new URL("../../js/index.js", import.meta.url).href;
const BASELINE = new URL("./baseline.js", import.meta.url).href;
const RUNTIMES = { Node: process.execPath, Bun: nativeProgram("bun") };

const README = new URL("../../README.md", import.meta.url);
/** What stands before and after the table of README.md. */
const MARKS = ["<!-- written by npm run bench -- --write -->\n", "<!-- end -->"];

const folder = mkdtempSync(join(tmpdir(), "todo-keeper-bench-"));
try {
  console.log(sizes());
  const tables = Object.entries(RUNTIMES).map(([name, program]) => {
    const title = `${name} ${run(program, ["--version"]).replace(/^v/, "")}`;
    console.log(`\n${title}, medians of ${ROUNDS} runs\n`);
    const rows = [
      ["", "plugin", "plain JavaScript", "ratio"],
      row("import and first hook", "ms", (url) => starts(program, url)),
      ...CASES.map((one) => row(one.name, "µs", (url) => calls(program, url, one.name))),
    ];
    table(rows);
    return { title, rows: rows.slice(1) };
  });
  if (process.argv.includes("--write")) write(tables);
} finally {
  rmSync(folder, { recursive: true });
}

/** Puts the figures in the place of those that stand in README.md. */
function write(tables) {
  const [before, after] = MARKS;
  const text = readFileSync(README, "utf8");
  const [head, rest] = text.split(before);
  const tail = rest?.split(after)[1];
  if (tail === undefined)
    throw new Error(
      `expected ${MARKS.join("…")} in README.md, found none; put them around the table`,
    );
  const titles = tables.flatMap(({ title }) => [title, "plain", "ratio"]);
  const [{ rows }] = tables;
  const lines = [
    ["", ...titles],
    ["---", ...titles.map(() => "---:")],
    ...rows.map(([name], at) => [name, ...tables.flatMap((one) => one.rows[at].slice(1))]),
  ];
  const markdown = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  writeFileSync(README, `${head}${before}\n${markdown}\n\n${sizes()}.\n\n${after}${tail}`);
  console.log("\nwritten to README.md");
}

function sizes() {
  const bytes = readFileSync(new URL("../../pkg/todo_keeper_bg.wasm", import.meta.url));
  const gzipped = gzipSync(bytes, { level: 9 }).length;
  return `The module is ${kilobytes(bytes.length)}, gzipped ${kilobytes(gzipped)}`;
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** One process for each run: a module is imported once. */
function starts(program, url) {
  const script = fileURLToPath(new URL("./start.js", import.meta.url));
  return Array.from({ length: ROUNDS }, () => Number(run(program, [script, url, folder])));
}

/** One process for each case, so that no case finds what another one left in the compilers and the heap. */
function calls(program, url, name) {
  const script = fileURLToPath(new URL("./calls.js", import.meta.url));
  return JSON.parse(run(program, [script, url, folder, name, String(ROUNDS)]));
}

function row(name, unit, measure) {
  const [ours, baseline] = [OURS, BASELINE].map((url) => median(measure(url)));
  return [name, figure(ours, unit), figure(baseline, unit), `${rounded(ours / baseline)} ×`];
}

function figure(value, unit) {
  return unit === "µs" && value >= 1000
    ? `${rounded(value / 1000)} ms`
    : `${rounded(value)} ${unit}`;
}

function rounded(value) {
  return value < 100 ? value.toPrecision(2) : String(Math.round(value));
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((cells) => cells[column].length)));
  for (const [first, ...rest] of rows) {
    const cells = rest.map((cell, at) => cell.padStart(widths[at + 1]));
    console.log([first.padEnd(widths[0]), ...cells].join("  ").trimEnd());
  }
}

/** What a program prints, in an environment without options of the person who runs it. */
function run(program, args) {
  const { OPENCODE_CONFIG_DIR: _, ...env } = { ...process.env, XDG_CONFIG_HOME: folder };
  const done = spawnSync(program, args, { env, encoding: "utf8" });
  if (done.status === 0) return done.stdout.trim();
  throw new Error(
    `expected ${program} ${args.join(" ")} to succeed, found ${done.stderr || done.error}`,
  );
}
