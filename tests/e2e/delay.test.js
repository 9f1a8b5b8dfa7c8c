// What happens between the idle and the reminder: a delay long enough to act in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { text, todos } from "./model.js";
import { suite } from "./suite.js";

const DELAY_MS = 800;
const SETTLE_MS = 2 * DELAY_MS;
const keeper = suite({ options: { idleDelayMs: DELAY_MS } });

test("a reminder waits for the delay", async () => {
  const session = await stoppedEarly();
  keeper.model.play(finish());
  await session.reminded();
  await keeper.opencode.settled(SETTLE_MS);
  const [{ info }, ...more] = await session.reminders();
  assert.deepEqual(more, []);
  const messages = await session.messages();
  const [before] = messages.filter((message) => message.info.id < info.id).slice(-1);
  const waited = info.time.created - before.info.time.completed;
  assert.ok(waited >= DELAY_MS, `reminded ${waited} ms after the turn`);
});

test("a message that the person sends within the delay takes the reminder's place", async () => {
  const session = await stoppedEarly();
  keeper.model.play(finish());
  await session.say("now do it");
  await keeper.opencode.settled(SETTLE_MS);
  assert.deepEqual(await session.reminders(), []);
});

test("a message without an answer that the person stores within the delay cancels too", async () => {
  const session = await stoppedEarly();
  await session.prompt("I will come back to this", { noReply: true });
  await keeper.opencode.settled(SETTLE_MS);
  assert.deepEqual(await session.reminders(), []);
});

test("a second idle within the delay is no second reminder", async () => {
  const session = await stoppedEarly();
  keeper.model.play(finish());
  // An abort with nothing to abort: the host publishes the idle again.
  await session.abort();
  await session.reminded();
  await keeper.opencode.settled(SETTLE_MS);
  assert.equal((await session.reminders()).length, 1);
});

test("a session that is reverted within the delay is left alone", async () => {
  const session = await stoppedEarly();
  const [first] = await session.messages();
  await session.revert(first.info.id);
  await keeper.opencode.settled(SETTLE_MS);
  assert.deepEqual(await session.reminders(), []);
});

test("a session that is archived within the delay is left alone", async () => {
  const session = await stoppedEarly();
  await session.update({ time: { archived: Date.now() } });
  await keeper.opencode.settled(SETTLE_MS);
  assert.deepEqual(await session.reminders(), []);
});

test("a session that is deleted within the delay brings neither a reminder nor a toast", async () => {
  const toasts = keeper.opencode.toasts.length;
  const session = await stoppedEarly();
  await session.delete();
  await keeper.opencode.settled(SETTLE_MS);
  assert.equal(keeper.opencode.toasts.length, toasts);
  assert.deepEqual(
    session.events.filter(({ type }) => type === "session.error"),
    [],
  );
});

test("a compaction within the delay is waited for, and the reminder comes as the person, not as the compaction", async () => {
  const person = {
    agent: "build",
    model: { providerID: "scripted", modelID: "two" },
    variant: "low",
  };
  const session = await stoppedEarly(person);
  await session.compact({ providerID: "scripted", modelID: "one" });
  keeper.model.play(finish());
  await session.reminded();
  await keeper.opencode.settled(SETTLE_MS);
  const [{ info }, ...more] = await session.reminders();
  assert.deepEqual(more, []);
  assert.equal(info.agent, person.agent);
  assert.deepEqual(info.model, { ...person.model, variant: "low" });
});

async function stoppedEarly(fields) {
  keeper.model.play([todos(["write the code", "pending"]), text("Later.")]);
  const session = await keeper.opencode.session();
  await session.say("build it", fields);
  return session;
}

function finish() {
  return [todos(["write the code", "completed"]), text("Done.")];
}
