// `npm run demo`: the main job as a transcript. A real opencode, the plugin from its packed tarball, and a scripted model
// that behaves as models do: it forgets its list, drops a task, and stops too early.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { call, startModel, text, todos } from "./model.js";
import { startOpencode } from "./opencode.js";
import { packedPlugin } from "./package.js";
import { MARK } from "./session.js";

const TASKS = ["read the notes", "write the greeting", "check the spelling"];
const READ = call("read", { filePath: "notes.md" });
const OPTIONS = { idleDelayMs: 300, nudge: { afterRequests: 3, cooldownRequests: 3 } };

/** What the model does, in order. After three requests without a look at the list comes the nudge. */
const SCRIPT = [
  todos(...TASKS.map((task) => [task, "pending"])),
  READ,
  READ,
  READ,
  // Nudged. It updates the list, but leaves out a task: the guard puts it back.
  todos(["read the notes", "completed"], ["write the greeting", "in_progress"]),
  text("The greeting is nearly written. I will stop here."),
  // Reminded. It goes on and finishes.
  todos(...TASKS.map((task) => [task, "completed"])),
  text("The greeting is written and checked."),
];

const model = await startModel({ script: SCRIPT });
const opencode = await startOpencode({ model, plugin: [[await packedPlugin(), OPTIONS]] });
let passed = false;
try {
  await mkdir(opencode.project, { recursive: true });
  await writeFile(path.join(opencode.project, "notes.md"), "Greet the reader by name.\n");
  passed = await show(await opencode.session());
} finally {
  await opencode.stop();
  await model.stop();
}
process.exitCode = passed ? 0 : 1;

/** Plays the session and tells it; returns whether everything that the demo promises was seen. */
async function show(session) {
  say("PERSON", "Write a greeting from notes.md. Keep a todo list.");
  await session.say("Write a greeting from notes.md. Keep a todo list.");
  await session.reminded();
  await opencode.settled(1_500);
  const messages = await session.messages();
  const seen = { nudge: false, guard: false, reminder: false };
  let request = 0;
  for (const { info, parts } of messages) {
    if (info.role === "user") tellUser(parts, seen);
    else tellAgent(model.requests[request++], parts, seen);
  }
  const list = await session.todos();
  say("LIST", lines(list));
  seen.finished = list.every(({ status }) => status === "completed");
  seen.volatile = !JSON.stringify(messages).includes("<system-reminder>");
  say("RESULT", `${messages.length} messages, ${model.requests.length} requests. ${verdict(seen)}`);
  return Object.values(seen).every(Boolean) && model.faults.length === 0;
}

function tellUser(parts, seen) {
  const reminder = parts.find((part) => part.metadata?.[MARK]);
  if (!reminder) return;
  seen.reminder = true;
  say("REMINDER", `(the session went idle with unfinished todos)\n${reminder.text}`);
}

function tellAgent(request, parts, seen) {
  // opencode's own system prompt speaks of such blocks too; the nudge is in the last message.
  const nudge = /<system-reminder>[\s\S]*<\/system-reminder>/.exec(
    request ? lastText(request) : "",
  );
  if (nudge) {
    seen.nudge = true;
    say("NUDGE", `(in this one request, stored nowhere)\n${nudge[0]}`);
  }
  for (const part of parts) {
    if (part.type === "text") say("AGENT", part.text);
    if (part.type === "tool") tellTool(part, seen);
  }
}

function tellTool({ tool, state }, seen) {
  if (tool !== "todowrite") {
    say("AGENT", `calls ${tool}`);
    return;
  }
  say("AGENT", `calls todowrite; the list is now\n${lines(state.metadata.todos)}`);
  const told = /\n\n(Kept .*)$/.exec(state.output)?.[1];
  if (!told) return;
  seen.guard = true;
  say("GUARD", told);
}

function lastText({ messages }) {
  const { content } = messages.at(-1);
  return typeof content === "string"
    ? content
    : (content ?? []).map((part) => part.text).join("\n");
}

function lines(list) {
  const marks = { completed: "x", in_progress: ">", cancelled: "-" };
  return list.map(({ content, status }) => `[${marks[status] ?? " "}] ${content}`).join("\n");
}

function verdict(seen) {
  const missing = Object.keys(seen).filter((what) => !seen[what]);
  return missing.length === 0
    ? "The list is finished, and nothing of the nudge was stored."
    : `Expected to see all of it, missed: ${missing.join(", ")}.`;
}

function say(who, what) {
  const [first, ...rest] = what.split("\n");
  console.log(
    [`${who.padEnd(9)}| ${first}`, ...rest.map((line) => `${" ".repeat(9)}| ${line}`), ""].join(
      "\n",
    ),
  );
}
