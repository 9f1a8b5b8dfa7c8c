// `npm run soak`: a million events over ten thousand sessions, which are deleted or not; how much memory is used before and
// after. Nothing fails here: the figures tell.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { initSync } from "../../pkg/todo_keeper.js";
import { CLIENT } from "./client.js";

const EVENTS = 1_000_000;
const SESSIONS = 10_000;
const MODEL = { providerID: "p", modelID: "m" };

/** One process for each, with a heap that is collected when we say so. */
function everyWay() {
  for (const what of ["deleted", "kept"]) {
    const folder = mkdtempSync(join(tmpdir(), "todo-keeper-soak-"));
    const { OPENCODE_CONFIG_DIR: _, ...env } = { ...process.env, XDG_CONFIG_HOME: folder };
    const args = ["--expose-gc", fileURLToPath(import.meta.url), what, folder];
    const { status } = spawnSync(process.execPath, args, { env, stdio: "inherit" });
    rmSync(folder, { recursive: true });
    if (status !== 0) process.exitCode = 1;
  }
}

async function soak(what) {
  const { default: plugin } = await import("../../js/index.js");
  const hooks = await plugin({ client: CLIENT, directory: process.argv[3] });
  console.log(`${EVENTS} events, ${SESSIONS} sessions, ${what}`);
  // The compilers and the first sessions: what stays of them stays once.
  await rounds(hooks, "ses_first", 100, 10, "deleted");
  const before = await figures("before");
  const began = performance.now();
  const each = EVENTS / SESSIONS;
  for (const part of ["first half", "second half"]) {
    // Other sessions: with the same ones a leak for each session would not be seen.
    await rounds(hooks, `ses_${part[0]}`, SESSIONS / 2, each, what);
    await figures(`after the ${part}`, before);
  }
  console.log(`  ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await hooks.dispose();
  process.exit();
}

/** So many sessions, one after the other, each with so many events. */
async function rounds(hooks, prefix, sessions, events, what) {
  for (let index = 0; index < sessions; index += 1) {
    const session = `${prefix}${String(index).padStart(6, "0")}`;
    const send = (type, properties) => hooks.event({ event: { type, properties } });
    const info = { id: "msg_1", role: "user", sessionID: session, agent: "build", model: MODEL };
    hooks["chat.message"]({}, { message: info, parts: [{ type: "text", text: "build it" }] });
    const last = what === "deleted" ? events - 1 : events;
    for (let at = 0; at < last; at += 1) eventOf(at, session, send);
    if (what === "deleted") send("session.deleted", { info: { id: session } });
    // A breath, so that what only waits for promises is done.
    if (index % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The events of turns: the agent begins, writes its list, talks, and ends. */
function eventOf(at, sessionID, send) {
  const turn = Math.floor(at / 10);
  switch (at % 10) {
    case 0:
      return send("session.status", { sessionID, status: { type: "busy" } });
    case 1:
      return send("todo.updated", { sessionID, todos: todosOf(turn) });
    case 7: {
      const info = { id: `msg_${turn + 2}`, role: "assistant", sessionID, finish: "stop" };
      return send("message.updated", { info: { ...info, time: { completed: 1 } } });
    }
    case 8:
      return send("session.status", { sessionID, status: { type: "idle" } });
    case 9:
      return send("session.idle", { sessionID });
    default:
      return send("message.part.updated", { part: { type: "text", sessionID, text: "…" } });
  }
}

function todosOf(turn) {
  return Array.from({ length: 10 }, (_, index) => ({
    content: `Step ${index} of the work`,
    status: index < turn ? "completed" : "pending",
    priority: "medium",
  }));
}

async function figures(when, before) {
  // Timers of the host's answers that were given, and what they hold.
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const found = {
    "wasm memory": wasmBytes(),
    "JavaScript heap": process.memoryUsage().heapUsed,
    "resident set": process.memoryUsage().rss,
  };
  const words = Object.entries(found).map(([name, bytes]) => {
    const more = before ? ` (${signed(bytes - before[name])})` : "";
    return `${name} ${(bytes / 1e6).toFixed(2)} MB${more}`;
  });
  console.log(`  ${when.padEnd(22)} ${words.join(", ")}`);
  return found;
}

const signed = (bytes) => `${bytes < 0 ? "" : "+"}${(bytes / 1e6).toFixed(2)}`;

/** The module is instantiated already, so that this only hands out what there is. */
const wasmBytes = () => initSync().memory.buffer.byteLength;

if (process.argv[2] === undefined) everyWay();
else await soak(process.argv[2]);
