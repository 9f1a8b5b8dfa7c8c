// The harness itself: without these, a test that finds no reminder might only have found no opencode.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { call, calls, delayed, failure, never, startModel, text, todos } from "./model.js";
import { startOpencode } from "./opencode.js";
import { MARK } from "./session.js";

// Shows a toast and writes a line as the real plugin does, and asks for nothing else.
const PROBE = `
export default async ({ client }, options) => {
  await client.app.log({ body: { service: "todo-keeper", level: "debug", message: "loaded", extra: { service: "todo-keeper", ...options } } });
  return {
    "chat.message": async (input, output) => {
      if (output.parts[0].text === "toast") await client.tui.showToast({ body: { message: "seen", variant: "info" } });
    },
  };
};
`;

let model;
let opencode;

before(async () => {
  model = await startModel();
  opencode = await startOpencode({
    model,
    plugin: [["./probe.js", { colour: "blue" }]],
    config: { permission: { bash: "ask" } },
    projectFiles: { "probe.js": PROBE },
  });
});

beforeEach(() => model.play([]));

after(async () => {
  await opencode?.stop();
  await model?.stop();
});

test("a script is played in order, and every request is recorded as it was sent", async () => {
  model.play([todos(["write it", "in_progress"]), text("Done.")]);
  const session = await opencode.session();
  await session.say("go");

  assert.deepEqual(await session.todos(), [
    { content: "write it", status: "in_progress", priority: "medium" },
  ]);
  assert.equal(model.requests.length, 2);
  assert.equal(model.requests[0].lastUserText, "go");
  assert.equal(model.requests[0].raw, JSON.stringify(model.requests[0].body));
  assert.ok(model.requests[0].tools.includes("todowrite"));
  assert.equal(model.requests[1].messages.at(-1).role, "tool");
  assert.deepEqual(model.faults, []);
});

test("a request beyond the script is a fault", async () => {
  const session = await opencode.session();
  await session.say("go");
  assert.match(model.faults[0].message, /no reply is left for request 1: go/);
});

test("several calls in one reply all run", async () => {
  model.play([calls(["todowrite", { todos: [] }], ["glob", { pattern: "*" }]), text("Done.")]);
  const session = await opencode.session();
  await session.say("go");
  const parts = (await session.messages()).flatMap((message) => message.parts);
  assert.deepEqual(
    parts.filter((part) => part.type === "tool").map((part) => part.tool),
    ["todowrite", "glob"],
  );
});

test("a title is asked of the model beside the script", async () => {
  model.play([text("Done.")], () => text("My title"));
  const session = await opencode.session();
  await session.say("go");
  await opencode.events.until(() => model.asides.length > 0, { what: "the request for a title" });
  await opencode.settled();
  assert.equal((await session.info()).title, "My title");
});

test("an abort in the middle of a stream ends the turn", async () => {
  model.play([never("I am")]);
  const session = await opencode.session();
  await session.prompt("go");
  await session.waitFor("message.part.updated", { fits: ({ part }) => part.type === "step-start" });
  await session.abort();
  await session.idle();
  await opencode.settled();
  assert.equal((await session.messages()).at(-1).info.error.name, "MessageAbortedError");
});

test("a provider's error ends the turn", async () => {
  model.play([failure(400)]);
  const session = await opencode.session();
  await session.say("go");
  await opencode.settled();
  assert.equal((await session.messages()).at(-1).info.error.name, "APIError");
});

test("permissions and questions can be answered", async () => {
  const question = {
    question: "Which?",
    header: "Pick",
    options: [{ label: "A", description: "a" }],
  };
  model.play([
    call("bash", { command: "true", description: "nothing" }),
    call("question", { questions: [question] }),
    call("question", { questions: [question] }),
  ]);
  const session = await opencode.session();
  await session.prompt("go");
  await session.replyToPermission("once");
  await session.replyToQuestion([["A"]]);
  await session.rejectQuestion();
  await session.idle();
  const types = session.events
    .map((event) => event.type)
    .filter((type) => /replied|rejected/.test(type));
  assert.deepEqual(types, ["permission.replied", "question.replied", "question.rejected"]);
});

test("settling waits for a slow turn", async () => {
  model.play([delayed(900, text("Done."))]);
  const session = await opencode.session();
  await session.prompt("go");
  await session.waitFor("session.status");
  await opencode.settled();
  assert.equal((await session.messages()).at(-1).info.finish, "stop");
});

test("marked messages are told from a person's", async () => {
  const session = await opencode.session();
  await session.prompt("by hand", { noReply: true });
  await session.prompt(
    [{ type: "text", text: "by the plugin", metadata: { [MARK]: { reminder: 1 } } }],
    { noReply: true },
  );
  assert.equal((await session.reminded()).text, "by the plugin");
  const reminders = await session.reminders();
  assert.deepEqual(
    reminders.map(({ number, text }) => [number, text]),
    [[1, "by the plugin"]],
  );
});

test("toasts and lines of the log are seen, with the plugin's options", async () => {
  model.play([text("Done.")]);
  const session = await opencode.session();
  await session.say("toast");
  assert.deepEqual(
    opencode.toasts.map((toast) => toast.message),
    ["seen"],
  );
  assert.match(await opencode.logged(/loaded/), /level=DEBUG.*colour=blue/);
});

test("a restart keeps the project, the sessions and their todos", async () => {
  model.play([todos(["write it", "pending"]), text("Done."), text("Still there.")]);
  const session = await opencode.session();
  await session.say("go");
  await opencode.restart();
  assert.deepEqual(session.events, []);
  assert.equal((await session.todos()).length, 1);
  await session.say("again");
  assert.equal(model.requests.length, 3);
});

test("nothing is installed and nothing is left behind", async () => {
  const other = await startOpencode({ model, serve: false });
  model.play([text("Hello from the model.")]);
  const { code, stdout } = await other.run(["run", "go"]);
  assert.equal(code, 0);
  assert.match(stdout, /Hello from the model\./);
  assert.ok(!existsSync(path.join(other.globalConfig, "node_modules", "@opencode-ai")));
  await other.stop();
  assert.ok(!existsSync(other.home));
});
