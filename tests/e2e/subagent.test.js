// Sessions that belong to another session are its business.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { call, delayed, text, todos } from "./model.js";
import { suite } from "./suite.js";

const keeper = suite({
  options: { idleDelayMs: 50 },
  config: { agent: { general: { permission: { todowrite: "allow" } } } },
  env: { OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: "true" },
});
const taskArguments = {
  description: "a part",
  prompt: "CHILD WORK",
  subagent_type: "general",
};
const task = call("task", taskArguments);
const isChild = (request) =>
  request.messages.some(
    ({ role, content }) => role === "user" && JSON.stringify(content).includes("CHILD WORK"),
  );

test("a subagent that leaves todos of its own is not woken again, and neither is its parent for them", async () => {
  playFamily({
    child: [todos(["its own", "pending"]), text("I stopped.")],
    parent: [task, text("Done.")],
  });
  const session = await keeper.opencode.session();
  await session.say("delegate");
  await keeper.opencode.settled();

  const [child] = await session.children();
  assert.equal((await child.todos())[0].status, "pending");
  assert.deepEqual(await child.reminders(), []);
  assert.deepEqual(await session.reminders(), []);
});

test("a parent is reminded of its own todos alone, once, after the subagent has ended", async () => {
  playFamily({
    child: [todos(["its own", "pending"]), delayed(500, text("I stopped."))],
    parent: [
      todos(["delegate it", "in_progress"]),
      task,
      text("Later."),
      todos(["delegate it", "completed"]),
      text("Done."),
    ],
  });
  const session = await keeper.opencode.session();
  await session.say("delegate");
  await session.reminded();
  await keeper.opencode.settled();

  const [child] = await session.children();
  const [{ text: wording }, ...more] = await session.reminders();
  assert.deepEqual(more, []);
  assert.match(wording, /delegate it/);
  assert.ok(!wording.includes("its own"));
  assert.deepEqual(await child.reminders(), []);
  const order = keeper.opencode.events.all
    .filter(({ type }) => type === "session.idle")
    .map(({ properties }) => properties.sessionID);
  assert.ok(order.indexOf(child.id) < order.indexOf(session.id));
});

test("a session that was opened below another one is left alone, whoever writes in it", async () => {
  const parent = await keeper.opencode.session();
  const child = await keeper.opencode.session({ parentID: parent.id });
  keeper.model.play([todos(["write the code", "pending"]), text("Later.")]);
  await child.say("build it");
  await keeper.opencode.settled();
  assert.deepEqual(await child.reminders(), []);
});

test("a parent waits while a session below it is at work", async () => {
  const parent = await keeper.opencode.session();
  const child = await keeper.opencode.session({ parentID: parent.id });
  keeper.model.play((request) => {
    if (isChild(request)) return delayed(2_500, text("Done at last."));
    if (request.messages.at(-1).role === "tool") return text("Later.");
    return todos(["write the code", keeper.model.requests.length > 3 ? "completed" : "pending"]);
  });
  await child.prompt("CHILD WORK");
  // While the child waits for its answer opencode publishes nothing that one could wait for.
  while (keeper.model.requests.length < 1) await sleep(20);
  await parent.say("build it");
  await keeper.opencode.quiet();
  assert.deepEqual(await parent.reminders(), []);
  await child.idle();
  await keeper.opencode.settled();
});

test("a parent that went idle while a subagent was still at work is reminded when that ends", async () => {
  const parent = await keeper.opencode.session();
  const child = await keeper.opencode.session({ parentID: parent.id });
  const grandchild = await keeper.opencode.session({ parentID: child.id });
  const replies = [
    todos(["write the code", "pending"]),
    text("Later."),
    todos(["write the code", "completed"]),
    text("Done."),
  ];
  keeper.model.play((request) =>
    isChild(request) ? delayed(2_500, text("Done at last.")) : replies.shift(),
  );
  await grandchild.prompt("CHILD WORK");
  while (keeper.model.requests.length < 1) await sleep(20);
  await parent.say("build it");
  await keeper.opencode.quiet();
  assert.deepEqual(await parent.reminders(), []);
  await grandchild.idle();
  await parent.reminded();
  await keeper.opencode.settled();
  assert.equal((await parent.reminders()).length, 1);
  for (const session of [child, grandchild]) assert.deepEqual(await session.reminders(), []);
});

test("a subagent in the background keeps its idle parent waiting, and its result comes before the reminder", async () => {
  playFamily({
    child: [delayed(2_500, text("Found it."))],
    parent: [
      todos(["write the code", "pending"]),
      call("task", { ...taskArguments, background: true }),
      text("I wait for it."),
      text("So that is found."),
      todos(["write the code", "completed"]),
      text("Done."),
    ],
  });
  const parent = await keeper.opencode.session();
  await parent.say("build it");
  await keeper.opencode.quiet();
  const [child] = await parent.children();
  const status = await keeper.opencode.api("GET", "/session/status");
  assert.deepEqual(Object.keys(status), [child.id]);
  assert.deepEqual(await parent.reminders(), []);
  await parent.reminded();
  await keeper.opencode.settled();

  const [{ info }, ...more] = await parent.reminders();
  assert.deepEqual(more, []);
  const messages = await parent.messages();
  const result = messages.find(({ parts }) =>
    parts.some((part) => /<task_result>/.test(part.text)),
  );
  assert.ok(result.info.id < info.id);
  assert.deepEqual(await child.reminders(), []);
});

/** Two scripts, because the requests of a parent and of its child cross. */
function playFamily({ child, parent }) {
  keeper.model.play((request) => {
    const reply = (isChild(request) ? child : parent).shift();
    return reply ?? text("The script has ended.");
  });
}
