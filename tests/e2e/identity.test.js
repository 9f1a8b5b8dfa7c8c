// As whom the plugin speaks: as the person last did, never as the default agent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { never, text, todos } from "./model.js";
import { suite } from "./suite.js";

const keeper = suite({
  options: { skipAgents: [] },
  config: { agent: { reviewer: { mode: "primary", description: "Reviews" } } },
});
const open = () => [todos(["write the code", "pending"]), text("Later.")];
const finish = () => [todos(["write the code", "completed"]), text("Done.")];

test("agent, model, variant, system prompt and tools of the person's message are kept", async () => {
  keeper.model.play([...open(), ...finish()]);
  const session = await keeper.opencode.session();
  await session.say("build it", {
    agent: "reviewer",
    model: { providerID: "scripted", modelID: "two" },
    variant: "high",
    system: "Answer in rhyme.",
    tools: { webfetch: false },
  });
  await session.reminded();
  await keeper.opencode.settled();

  const [{ info }] = await session.reminders();
  assert.equal(info.agent, "reviewer");
  assert.deepEqual(info.model, { providerID: "scripted", modelID: "two", variant: "high" });
  assert.equal(info.system, "Answer in rhyme.");
  assert.deepEqual(info.tools, { webfetch: false });

  const [asked, , reminded] = keeper.model.requests;
  assert.equal(reminded.model, "two");
  assert.equal(reminded.body.reasoning_effort, asked.body.reasoning_effort);
  assert.equal(reminded.system, asked.system);
  assert.deepEqual(reminded.tools, asked.tools);
});

test("what the person did not choose is not chosen for them", async () => {
  keeper.model.play([...open(), ...finish()]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await session.reminded();
  await keeper.opencode.settled();

  const [{ info }] = await session.reminders();
  const [{ info: person }] = await session.messages();
  assert.deepEqual([info.agent, info.model], [person.agent, person.model]);
  assert.deepEqual([info.system, info.tools], [undefined, undefined]);
  assert.equal((await session.info()).permission, undefined);
});

test("a plan session stays a plan session", async () => {
  keeper.model.play([...open(), text("Later."), ...finish()]);
  const session = await keeper.opencode.session();
  await session.say("plan it", { agent: "plan" });
  await session.reminded(2);
  await keeper.opencode.settled();

  assert.equal((await session.reminders()).length, 2);
  const agents = (await session.messages()).map(({ info }) => info.agent);
  assert.deepEqual([...new Set(agents)], ["plan"]);
});

test("a person who changes the agent is followed", async () => {
  keeper.model.play([...open(), never()]);
  const session = await keeper.opencode.session();
  await session.say("plan it", { agent: "plan" });
  await session.reminded();
  await keeper.opencode.events.until(() => keeper.model.requests.length === 3, {
    what: "the reminder's request",
  });
  await session.abort();
  await keeper.opencode.settled();
  keeper.model.play([text("Later."), ...finish()]);
  await session.say("now build it", {
    agent: "build",
    model: { providerID: "scripted", modelID: "two" },
  });
  await session.reminded(2);
  await keeper.opencode.settled();

  const identities = (await session.reminders()).map(({ info }) => [
    info.agent,
    info.model.modelID,
  ]);
  assert.deepEqual(identities, [
    ["plan", "one"],
    ["build", "two"],
  ]);
});

test("a reminder is the person's to see, and marked as the plugin's", async () => {
  keeper.model.play([...open(), ...finish()]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await session.reminded();
  await keeper.opencode.settled();
  const [{ info, part }] = await session.reminders();
  assert.equal(info.role, "user");
  assert.ok(!part.synthetic);
  const messages = await session.messages();
  assert.equal(messages.find((message) => message.info.id === info.id).parts.length, 1);
});
