// `continueInRun: true` where a session goes on after idle: turns follow each other without a pause. `opencode serve` takes a
// plugin's requests over the network, so there the reminder comes too late for the turn that runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { delayed, plainText, text, todos } from "./model.js";
import { suite } from "./suite.js";

// Longer than a test may take: whoever waits for it is found out.
const keeper = suite({ options: { continueInRun: true, idleDelayMs: 3_600_000 } });

const open = (name = "write the code") => todos([name, "pending"]);
const done = (name = "write the code") => todos([name, "completed"]);
const numbers = async (session) => (await session.reminders()).map(({ number }) => number);

/** Every message has its parts, and the last one is an answer. */
async function assertNothingUnanswered(session) {
  const messages = await session.messages();
  assert.ok(messages.every(({ parts }) => parts.length > 0));
  assert.equal(messages.at(-1).info.role, "assistant");
}

test("the list is finished without a pause, and each reminder stands there once", async () => {
  keeper.model.play([open(), text("Later."), text("Later."), done(), text("All done.")]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await keeper.opencode.settled();
  assert.deepEqual(await numbers(session), [1, 2]);
  assert.ok((await session.todos()).every(({ status }) => status === "completed"));
  await assertNothingUnanswered(session);
});

test("one warning says that there are no more reminders", async () => {
  keeper.model.play([open(), ...Array.from({ length: 4 }, () => text("Later."))]);
  const session = await keeper.opencode.session();
  const before = keeper.opencode.toasts.length;
  await session.say("build it");
  await keeper.opencode.settled();
  assert.deepEqual(await numbers(session), [1, 2, 3]);
  await assertNothingUnanswered(session);
  const warnings = keeper.opencode.toasts
    .slice(before)
    .filter(({ variant }) => variant === "warning");
  assert.equal(warnings.length, 1);
});

test("two sessions at a time are reminded of their own lists", async () => {
  const prompts = ["first of two", "second of two"];
  const scripts = prompts.map((name) => [
    open(name),
    delayed(100, text("Later.")),
    done(name),
    delayed(100, text("All done.")),
  ]);
  keeper.model.play(({ messages }) => {
    const said = messages.map(plainText).join("\n");
    return scripts[prompts.findIndex((prompt) => said.includes(prompt))].shift();
  });
  const sessions = await Promise.all(prompts.map(() => keeper.opencode.session()));
  await Promise.all(sessions.map((session, index) => session.prompt(prompts[index])));
  await Promise.all(sessions.map((session) => session.reminded()));
  await keeper.opencode.settled();
  for (const [index, session] of sessions.entries()) {
    const [{ text: wording }, ...more] = await session.reminders();
    assert.deepEqual(more, []);
    assert.ok(!wording.includes(prompts[1 - index]));
    assert.equal((await session.todos())[0].status, "completed");
    await assertNothingUnanswered(session);
  }
});
