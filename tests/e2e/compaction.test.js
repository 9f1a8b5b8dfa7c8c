// A compaction in the middle of work: the plan goes into the summary, the nudge does not, and everything goes on after it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainText, text, todos } from "./model.js";
import { hasNudge, listed, nudged, nudgeOf, overflowing, silent } from "./nudges.js";
import { suite } from "./suite.js";

const LIST = todos(
  ["read the code", "completed"],
  ["change </b> it", "in_progress"],
  ["test it", "pending"],
);
const PLAN =
  /^The session's todo list has unfinished todos\. Keep each of them .*:\n\n1\. \[in_progress\] change ‹\/b› it\n2\. \[pending\] test it$/m;
const done = text("Done.");
const summaryOf = ({ asides }) => {
  const summaries = asides.filter(({ messages }) =>
    JSON.stringify(messages).includes("unfinished todos"),
  );
  assert.equal(summaries.length, 1);
  return summaries[0];
};
const answerAside = () => text("A summary or a title.");

describe("a compaction", () => {
  const keeper = suite({ options: { maxAutoSubmitsPerTodo: 0 } });

  test("by the person asks the summary to keep the unfinished todos, and carries no nudge", async () => {
    keeper.model.play([LIST, ...silent(8), text("Shall I go on?")], answerAside);
    const session = await keeper.opencode.session();
    await session.say("build it");
    keeper.model.play([], answerAside);
    await session.compact();

    const prompt = plainText(summaryOf(keeper.model).messages.at(-1));
    assert.match(prompt, PLAN);
    assert.ok(prompt.endsWith("2. [pending] test it"), prompt.slice(-400));
    assert.ok(!hasNudge(keeper.model.asides));
    assert.ok(!prompt.includes("system-reminder"));
  });

  test("by the person does not begin the count anew", async () => {
    keeper.model.play([LIST, ...silent(4), text("Shall I go on?")], answerAside);
    const session = await keeper.opencode.session();
    await session.say("build it");
    await session.compact();
    await keeper.opencode.settled();

    keeper.model.play([...silent(12), done], answerAside);
    await session.say("go on");
    assert.deepEqual(nudged(keeper.model.requests), [4, 12]);
    assert.deepEqual(listed(nudgeOf(keeper.model.requests[3])), [
      "1. [in_progress] change ‹/b› it",
      "2. [pending] test it",
    ]);
    assert.ok(!hasNudge(await session.messages()));
  });

  test("in the middle of a turn leaves the nudge that is due to the request after it", async () => {
    const [last, ...more] = silent(8);
    keeper.model.play([LIST, ...more, overflowing(last), ...silent(8), done], answerAside);
    const session = await keeper.opencode.session();
    await session.say("build it");

    const prompt = plainText(summaryOf(keeper.model).messages.at(-1));
    assert.match(prompt, PLAN);
    assert.ok(!prompt.includes("system-reminder"));
    assert.deepEqual(nudged(keeper.model.requests), [10, 18]);
    const first = keeper.model.requests[9];
    assert.equal(first.messages.at(-1).role, "user");
    assert.equal(first.messages.at(-1).content[1].text, nudgeOf(first));
    const parts = (await session.messages()).flatMap(({ parts }) => parts);
    assert.ok(parts.some((part) => part.type === "compaction" && part.auto));
    assert.ok(!hasNudge(parts));
  });

  test("does not put back the cooldown", async () => {
    const [last, ...more] = silent(4);
    keeper.model.play(
      [LIST, ...silent(8), ...more, overflowing(last), ...silent(6), done],
      answerAside,
    );
    const session = await keeper.opencode.session();
    await session.say("build it");
    assert.deepEqual(nudged(keeper.model.requests), [10, 18]);
    summaryOf(keeper.model);
  });

  test("right after a restart knows the todos of the host, which has a moment to tell them", async () => {
    keeper.model.play([LIST, text("Shall I go on?")], answerAside);
    const session = await keeper.opencode.session();
    await session.say("build it");

    // A busy machine may need longer than the moment for the first answer of a server.
    const prompts = [];
    while (prompts.length < 3 && !PLAN.test(prompts.at(-1))) {
      await keeper.opencode.restart();
      keeper.model.play([], answerAside);
      await session.compact();
      prompts.push(plainText(keeper.model.asides.at(-1).messages.at(-1)));
      await keeper.opencode.settled();
    }
    assert.match(prompts.at(-1), PLAN);
  });

  test("of a session without unfinished todos is left alone", async () => {
    keeper.model.play([todos(["read the code", "completed"]), done], answerAside);
    const session = await keeper.opencode.session();
    await session.say("build it");
    await session.compact();
    assert.ok(keeper.model.asides.length >= 1);
    assert.ok(!JSON.stringify(keeper.model.asides).includes("todo list has"));
  });

  test("keeps the recent messages in front of it out of the count of the new ones", async () => {
    // Long answers, so that opencode keeps only the last of them as they are.
    const filler = text("word ".repeat(9_000));
    keeper.model.play([LIST, filler], answerAside);
    const session = await keeper.opencode.session();
    await session.say("build it");
    for (const _ of [1, 2]) {
      keeper.model.play([...silent(1), filler], answerAside);
      await session.say("go on");
    }
    keeper.model.play([], answerAside);
    await session.compact();
    await keeper.opencode.settled();
    const parts = (await session.messages()).flatMap(({ parts }) => parts);
    assert.ok(parts.find((part) => part.type === "compaction")?.tail_start_id);

    keeper.model.play([...silent(5), done], answerAside);
    await session.say("go on");
    assert.deepEqual(nudged(keeper.model.requests), [4]);
  });
});

describe("a compaction, with reminders and nudges off", () => {
  const keeper = suite({
    // Long enough for the compaction to be there before the turn's own reminder is.
    options: { idleDelayMs: 2_000, nudge: { enabled: false } },
    config: { agent: { coder: { mode: "primary" } } },
  });

  test("keeps the plan, and its own idle brings the reminder as the person's agent", async () => {
    const finished = todos(["change </b> it", "completed"], ["test it", "completed"]);
    keeper.model.play([LIST, text("Later."), finished, done], answerAside);
    const session = await keeper.opencode.session();
    const options = { agent: "coder", model: { providerID: "scripted", modelID: "two" } };
    await session.prompt("build it", options);
    await session.idle();
    await session.compact();
    await session.reminded();
    await keeper.opencode.settled(3_000);

    const reminders = await session.reminders();
    assert.equal(reminders.length, 1);
    assert.equal(reminders[0].info.agent, "coder");
    assert.equal(reminders[0].info.model.modelID, "two");
    assert.match(plainText(summaryOf(keeper.model).messages.at(-1)), PLAN);
  });
});
