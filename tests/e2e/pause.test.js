// Whatever the person, or the provider, stopped stays stopped until the person writes again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { call, failure, never, text, todos } from "./model.js";
import { suite } from "./suite.js";

const keeper = suite({
  config: {
    permission: { bash: "ask" },
    agent: { shell: { mode: "primary", permission: { bash: "allow" } } },
  },
});
const bash = (command) => call("bash", { command, description: "a command" });
const question = call("question", {
  questions: [
    { question: "Which?", header: "Pick", options: [{ label: "A", description: "the first" }] },
  ],
});

test("Esc in the middle of an answer", async () => {
  await pausesAfter([never("I am")], async (session) => {
    await session.waitFor("message.part.delta");
    await session.abort();
  });
});

test("Esc in the middle of a tool", async () => {
  await pausesAfter(
    [bash("sleep 30")],
    async (session) => {
      await session.running("bash");
      await session.abort();
    },
    { agent: "shell" },
  );
});

test("Esc while a permission is asked for", async () => {
  await pausesAfter([bash("true")], async (session) => {
    await session.waitFor("permission.asked");
    await session.abort();
  });
});

test("Esc while the provider is tried again, which leaves no error anywhere", async () => {
  await pausesAfter([failure(429, { error: { message: "slow down" } })], async (session) => {
    await session.waitFor("session.status", { fits: ({ status }) => status.type === "retry" });
    await session.abort();
  });
});

test("Esc in the middle of a reminder's turn", async () => {
  keeper.model.play([todos(["write the code", "pending"]), text("Later."), never()]);
  const session = await keeper.opencode.session();
  const toasts = keeper.opencode.toasts.length;
  await session.say("build it");
  const { messageID } = await session.reminded();
  await session.waitFor("message.updated", { fits: ({ info }) => info.parentID === messageID });
  await session.abort();
  await keeper.opencode.settled();
  assert.equal((await session.reminders()).length, 1);
  assertOneToast(toasts);
});

test("a provider's error", async () => {
  await pausesAfter([failure(400)]);
});

test("an error of authentication", async () => {
  await pausesAfter([failure(401, { error: { message: "bad key", type: "auth" } })]);
});

test("an answer that the provider's filter blocked", async () => {
  await pausesAfter([text("I", { finish: "content_filter" })]);
});

test("an error in the answer to the plugin's own message", async () => {
  keeper.model.play([todos(["write the code", "pending"]), text("Later."), failure(400)]);
  const session = await keeper.opencode.session();
  const toasts = keeper.opencode.toasts.length;
  await session.say("build it");
  await session.reminded();
  await keeper.opencode.settled();
  assert.equal((await session.reminders()).length, 1);
  assertOneToast(toasts);
});

test("a retry that succeeds is no error", async () => {
  keeper.model.play([
    todos(["write the code", "pending"]),
    failure(429, { error: { message: "slow down" } }),
    text("Later."),
    todos(["write the code", "completed"]),
    text("Done."),
  ]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await session.reminded();
  await keeper.opencode.settled();
  assert.equal((await session.reminders()).length, 1);
});

test("a permission that the person rejected", async () => {
  await pausesAfter([bash("true")], (session) => session.replyToPermission("reject"));
});

test("a question that the person dismissed", async () => {
  await pausesAfter([question], (session) => session.rejectQuestion());
});

test("a permission that the person rejected with advice lets the turn go on, and its end is an end like any other", async () => {
  keeper.model.play([
    todos(["write the code", "in_progress"]),
    bash("true"),
    text("Then not."),
    todos(["write the code", "completed"]),
    text("Done."),
  ]);
  const session = await keeper.opencode.session();
  await session.prompt("build it");
  await session.replyToPermission("reject", "use a file instead");
  await session.reminded();
  await keeper.opencode.settled();
  assert.equal((await session.reminders()).length, 1);
});

test("a context that overflows is compacted by the host, and the work goes on", async () => {
  const overflow = {
    error: {
      message: "This model's maximum context length is 8192 tokens.",
      code: "context_length_exceeded",
    },
  };
  keeper.model.play([
    todos(["write the code", "pending"]),
    failure(400, overflow),
    todos(["write the code", "completed"]),
    text("Done."),
  ]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await keeper.opencode.settled();
  assert.deepEqual(await session.reminders(), []);
  assert.equal((await session.todos())[0].status, "completed");
});

/**
 * A turn with an open todo ends with `replies`, `act` does what the person does meanwhile. Nothing may follow but one
 * toast; then the person writes, and a turn that ends well brings a reminder again.
 */
async function pausesAfter(replies, act = () => {}, fields = {}) {
  keeper.model.play([todos(["write the code", "pending"]), ...replies]);
  const session = await keeper.opencode.session();
  const toasts = keeper.opencode.toasts.length;
  await session.prompt("build it", fields);
  await act(session);
  await session.idle();
  await keeper.opencode.settled();
  assert.deepEqual(await session.reminders(), []);
  assertOneToast(toasts);

  keeper.model.play([text("Later."), todos(["write the code", "completed"]), text("Done.")]);
  await session.say("go on", fields);
  await session.reminded();
  await keeper.opencode.settled();
  assert.equal((await session.reminders()).length, 1);
  assertOneToast(toasts);
}

function assertOneToast(from) {
  const toasts = keeper.opencode.toasts.slice(from);
  assert.equal(toasts.length, 1, JSON.stringify(toasts));
  assert.match(toasts[0].message, /message|resume|continue/i);
}
