// `continueInRun: true` where a session goes on after idle: turns follow each other without a pause.

import assert from "node:assert/strict";
import { test } from "node:test";
import { call, text, todos } from "./model.js";
import { suite } from "./suite.js";

// Holds up what is not a person's, when the test says so.
const SLOW = `
import { existsSync } from "node:fs";
export default async ({ directory }) => ({
  "chat.message": async (_, { parts }) => {
    const isHeldUp = parts[0].metadata && existsSync(directory + "/hold-up");
    if (isHeldUp) await new Promise((resolve) => setTimeout(resolve, 20));
  },
});
`;

const keeper = suite({
  options: { continueInRun: true },
  plugin: (folder) => [[folder, { idleDelayMs: 50, continueInRun: true }], "./slow.js"],
  projectFiles: { "slow.js": SLOW },
});

const open = () => todos(["write the code", "pending"]);
const done = () => todos(["write the code", "completed"]);
const idles = (session) => session.events.filter(({ type }) => type === "session.idle").length;

test("the turn goes on without going idle", async () => {
  keeper.model.play([open(), text("Later."), done(), text("All done.")]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await keeper.opencode.settled();
  assert.equal((await session.reminders()).length, 1);
  assert.equal(idles(session), 1);
  assert.ok((await session.todos()).every(({ status }) => status === "completed"));
});

test("one warning says that there are no more reminders", async () => {
  keeper.model.play([open(), ...Array.from({ length: 4 }, () => text("Later."))]);
  const session = await keeper.opencode.session();
  const before = keeper.opencode.toasts.length;
  await session.say("build it");
  await keeper.opencode.settled();
  assert.equal((await session.reminders()).length, 3);
  assert.equal(idles(session), 1);
  const warnings = keeper.opencode.toasts
    .slice(before)
    .filter(({ variant }) => variant === "warning");
  assert.equal(warnings.length, 1);
});

test("what came too late is taken back and said after idle, once", async () => {
  keeper.model.play([open(), text("Later."), done(), text("All done.")]);
  const session = await keeper.opencode.session();
  // The bash tool makes the file, so that the delay begins in this turn alone.
  keeper.model.play([
    call("bash", { command: "touch hold-up", description: "hold up" }),
    open(),
    text("Later."),
    call("bash", { command: "rm hold-up", description: "let go" }),
    done(),
    text("All done."),
  ]);
  await session.say("build it");
  await session.reminded();
  await keeper.opencode.settled();
  const reminders = await session.reminders();
  assert.deepEqual(
    reminders.map(({ number }) => number),
    [1],
  );
  assert.equal(idles(session), 2);
  const messages = await session.messages();
  assert.ok(messages.every(({ parts }) => parts.length > 0));
  assert.equal(messages.at(-1).info.role, "assistant");
  await keeper.opencode.logged(/taken back/);
});
