// How often a reminder under `opencode run` comes too late: `node tests/e2e/run-measure.js [RUNS [PLACE]]`, by default 34 runs in
// each of three places. Not a part of `npm test`: it takes ten minutes.
//
// Every run is one in which the model never works on its list, so it brings three reminders, each of which has to be stored
// between the last word of a step and the moment at which opencode looks whether the turn is over.

import { execFileSync, spawn } from "node:child_process";
import { startModel, text, todos } from "./model.js";
import { startOpencode } from "./opencode.js";
import { packedPlugin } from "./package.js";

const FILES = 4_000;
const REMINDERS = 3;
const PLACES = {
  empty: { title: "an empty folder" },
  git: { title: `a git repository of ${FILES} files`, isRepository: true },
  load: { title: "an empty folder, one core busy", isLoaded: true },
};

const RUNS = Number(process.argv[2] ?? 34);
const places = process.argv[3] ? [PLACES[process.argv[3]]] : Object.values(PLACES);
const burner = () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });

const model = await startModel();
const folder = await packedPlugin();
try {
  console.log("place                              runs  reminders  too late  unanswered  ms a run");
  for (const place of places) await measure(place);
} finally {
  await model.stop();
}

async function measure({ title, isRepository = false, isLoaded = false }) {
  const opencode = await startOpencode({
    model,
    plugin: [[folder, {}]],
    serve: false,
    projectFiles: isRepository ? manyFiles() : {},
  });
  const burners = isLoaded ? [burner()] : [];
  try {
    if (isRepository) commitAll(opencode.project);
    const started = Date.now();
    for (let run = 0; run < RUNS; run += 1) await runOnce(opencode);
    const duration = Math.round((Date.now() - started) / RUNS);
    report(title, duration, await outcome(opencode));
  } finally {
    for (const child of burners) child.kill("SIGKILL");
    await opencode.stop();
  }
}

function manyFiles() {
  const names = Array.from({ length: FILES }, (_, index) => `src/${index % 50}/file-${index}.txt`);
  return Object.fromEntries(names.map((name) => [name, `${name}\n`.repeat(20)]));
}

function commitAll(project) {
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
      cwd: project,
      stdio: "ignore",
    });
  git("init");
  git("add", "-A");
  git("commit", "-m", "Files");
}

async function runOnce(opencode) {
  model.play([
    todos(["write the code", "pending"]),
    ...Array.from({ length: REMINDERS + 1 }, () => text("Later.")),
  ]);
  const { code, stderr } = await opencode.run(["run", "build it"], { timeout: 300_000 });
  if (code !== 0) throw new Error(`opencode run ended with code ${code}:\n${stderr}`);
}

/** What the sessions tell: a reminder that came too late ended its run early. */
async function outcome(opencode) {
  await opencode.start();
  const sessions = await opencode.api("GET", `/session?limit=${2 * RUNS}`);
  let reminders = 0;
  let late = 0;
  let unanswered = 0;
  for (const { id } of sessions) {
    const session = await opencode.session({ id });
    const { length } = await session.reminders();
    reminders += length;
    if (length < REMINDERS) late += 1;
    if ((await session.messages()).at(-1).info.role === "user") unanswered += 1;
  }
  return { runs: sessions.length, reminders, late, unanswered };
}

function report(title, duration, { runs, reminders, late, unanswered }) {
  const columns = [
    [runs, 4],
    [reminders, 9],
    [late, 8],
    [unanswered, 10],
    [duration, 8],
  ];
  const cells = columns.map(([value, width]) => String(value).padStart(width));
  console.log([title.padEnd(33), ...cells].join("  "));
}
