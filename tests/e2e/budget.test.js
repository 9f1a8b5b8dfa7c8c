// How often one is reminded: bounded without progress, as long as it takes with progress.

import assert from "node:assert/strict";
import { test } from "node:test";
import { text, todos } from "./model.js";
import { suite } from "./suite.js";

const keeper = suite();

test("without progress there are exactly three reminders and one warning, until the person writes again", async () => {
  keeper.model.play([todos(["write the code", "pending"]), ...idleTurns(4)]);
  const session = await keeper.opencode.session();
  const before = keeper.opencode.toasts.length;
  await session.say("build it");
  await session.reminded(3);
  await keeper.opencode.settled();
  assert.deepEqual(await numbers(session), [1, 2, 3]);
  const warnings = keeper.opencode.toasts
    .slice(before)
    .filter(({ variant }) => variant === "warning");
  assert.equal(warnings.length, 1);
  assert.match(warnings[0].message, /message|resume|continue/i);

  keeper.model.play(idleTurns(4));
  await session.say("go on");
  await session.reminded(6);
  await keeper.opencode.settled();
  assert.deepEqual(await numbers(session), [1, 2, 3, 1, 2, 3]);
});

test("the last reminder asks for the blocker and for todos to be cancelled", async () => {
  keeper.model.play([todos(["write the code", "pending"]), ...idleTurns(4)]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await session.reminded(3);
  await keeper.opencode.settled();
  const texts = (await session.reminders()).map((reminder) => reminder.text);
  assert.notEqual(texts[1], texts[2]);
  assert.match(texts[2], /block/i);
  assert.match(texts[2], /cancelled/);
});

test("six todos finished one a turn take six reminders", async () => {
  const names = ["one", "two", "three", "four", "five", "six"];
  const listed = (done) =>
    todos(...names.map((name, index) => [name, index < done ? "completed" : "pending"]));
  keeper.model.play(names.concat("end").flatMap((_, done) => [listed(done), text("One more.")]));
  const session = await keeper.opencode.session();
  await session.say("build it");
  await session.reminded(6);
  await keeper.opencode.settled();
  assert.deepEqual(await numbers(session), [1, 2, 3, 4, 5, 6]);
  assert.ok((await session.todos()).every(({ status }) => status === "completed"));
});

test("statuses toggled for ever are no progress", async () => {
  await threeReminders((turn) => [
    ["write the code", turn % 2 ? "pending" : "in_progress"],
    ["test it", "pending"],
  ]);
});

test("a list that is reworded for ever is no progress", async () => {
  await threeReminders((turn) => [[`write the code, attempt ${turn}`, "in_progress"]]);
});

test("a list that is reordered for ever is no progress", async () => {
  const list = [
    ["write", "pending"],
    ["test", "pending"],
    ["ship", "pending"],
  ];
  await threeReminders((turn) => list.map((_, index) => list[(index + turn) % list.length]));
});

test("a list that grows for ever is no progress", async () => {
  await threeReminders((turn) =>
    Array.from({ length: turn + 1 }, (_, index) => [`task ${index}`, "pending"]),
  );
});

test("a todo that the agent added since the person spoke is no progress before it is finished", async () => {
  await threeReminders((turn) => [["write the code", turn === 0 ? "pending" : "in_progress"]]);
});

test("a todo of before the person's message is progress when it is started", async () => {
  keeper.model.play([todos(["write the code", "pending"]), text("Planned.")]);
  const session = await keeper.opencode.session();
  await session.say("plan it", { agent: "plan" });
  await keeper.opencode.settled();

  const started = [todos(["write the code", "in_progress"]), text("Later.")];
  keeper.model.play([text("Later."), ...started, ...started, ...started, ...started]);
  await session.say("build it", { agent: "build" });
  await session.reminded(4);
  await keeper.opencode.settled();
  assert.equal((await session.reminders()).length, 4);
});

test("a reminder's own words, sent by the person, are the person's", async () => {
  keeper.model.play([todos(["write the code", "pending"]), ...idleTurns(4)]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await session.reminded(3);
  await keeper.opencode.settled();
  const [{ text: wording }] = await session.reminders();

  keeper.model.play([todos(["write the code", "completed"]), text("Done.")]);
  await session.say(wording);
  await keeper.opencode.settled();
  assert.equal((await session.reminders()).length, 3);
  assert.equal((await session.messages()).filter(({ info }) => info.role === "user").length, 5);
});

async function threeReminders(listOf) {
  keeper.model.play([0, 1, 2, 3].flatMap((turn) => [todos(...listOf(turn)), text("Later.")]));
  const session = await keeper.opencode.session();
  await session.say("build it");
  await session.reminded(3);
  await keeper.opencode.settled();
  assert.deepEqual(await numbers(session), [1, 2, 3]);
}

async function numbers(session) {
  return (await session.reminders()).map(({ number }) => number);
}

function idleTurns(count) {
  return Array.from({ length: count }, () => text("Later."));
}
