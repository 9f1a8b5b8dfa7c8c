// What the host is asked to do when a turn ends with unfinished todos.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  emptyProject,
  endWithTodos,
  FakeHost,
  hostInView,
  IDLE_DELAY_MS,
  MARK,
  settled,
  todo,
} from "./host.js";

let project;
before(() => {
  project = emptyProject();
});
after(() => project.remove());

const inView = (options) => hostInView(project.folder, options);

describe("a reminder", () => {
  it("is sent after the delay, once, with all that the person chose", async () => {
    const host = new FakeHost();
    host.start(project.folder);
    const session = host.session();
    await host.say(session, "build it", {
      agent: "careful",
      model: { providerID: "scripted", modelID: "two", variant: "high" },
      tools: { bash: false, todowrite: true },
      system: "Speak Latin.",
    });
    host.write(session, [todo("write the tests")]);
    host.end(session);
    await host.clock.advance(IDLE_DELAY_MS - 1);
    assert.equal(host.prompts.length, 0);
    await host.clock.advance(1);

    assert.equal(host.prompts.length, 1);
    const { path, body } = host.prompts[0];
    const { parts, ...identity } = body;
    assert.deepEqual(path, { id: session });
    assert.deepEqual(identity, {
      agent: "careful",
      model: { providerID: "scripted", modelID: "two" },
      variant: "high",
      tools: { bash: false, todowrite: true },
      system: "Speak Latin.",
    });
    assert.equal(parts.length, 1);
    const { text, ...part } = parts[0];
    assert.deepEqual(part, { type: "text", metadata: { [MARK]: { reminder: 1 } } });
    assert.match(text, /0 of 1 todos are done, 1 remain/);
  });

  it("leaves out what the person did not choose", async () => {
    const { host } = await inView();
    await host.clock.advance(IDLE_DELAY_MS);
    assert.deepEqual(Object.keys(host.prompts[0].body).sort(), ["agent", "model", "parts"]);
  });

  it("is synthetic when the options say so", async () => {
    const { host } = await inView({ syntheticPrompt: true });
    await host.clock.advance(IDLE_DELAY_MS);
    const { text: _, ...part } = host.prompts[0].body.parts[0];
    const expected = { type: "text", synthetic: true, metadata: { [MARK]: { reminder: 1 } } };
    assert.deepEqual(part, expected);
  });

  it("is numbered within its series, and its own message ends no series", async () => {
    const { host, session } = await inView({ maxAutoSubmitsPerTodo: 2 });
    for (let turn = 0; turn < 4; turn += 1) {
      await host.clock.advance(IDLE_DELAY_MS);
      if (host.of(session).status.type === "busy") host.end(session);
    }
    const marks = host.prompts.map(({ body }) => body.parts[0].metadata[MARK].reminder);
    assert.deepEqual(marks, [1, 2]);
    assert.equal(host.toasts.length, 1);
    assert.match(host.toasts[0].message, /Send any message or \/todo-keeper resume to go on/);
  });

  it("is one, however many idle events come", async () => {
    const { host, session } = await inView();
    host.idle(session);
    await host.clock.advance(IDLE_DELAY_MS / 2);
    host.idle(session);
    await host.clock.advance(10 * IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 1);
  });

  it("is not lost to the person's old message, which comes late", async () => {
    const { host, session } = await inView();
    host.updateLate(session);
    host.updateLate(session);
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 1);
  });

  it("asks by `prompt` on a host without `promptAsync`", async () => {
    const host = new FakeHost();
    host.replaced = { "session.promptAsync": undefined };
    host.start(project.folder);
    await endWithTodos(host, host.session());
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.requests("session.prompt").length, 1);
  });

  it("names a task literally, whatever characters it holds", async () => {
    const task = "$& $1 $` {total} {current_task} \\0 %s $' é🦀";
    const host = new FakeHost();
    host.start(project.folder, { inProgressMessageFormat: "<{current_task}> of {total}" });
    await endWithTodos(host, host.session(), [todo(task, "in_progress")]);
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.prompts[0].body.parts[0].text, `<${task}> of 1`);
  });

  it("goes to each of two sessions", async () => {
    const { host, session } = await inView();
    const other = host.session();
    await host.clock.advance(IDLE_DELAY_MS / 2);
    await endWithTodos(host, other);
    await host.clock.advance(IDLE_DELAY_MS / 2);
    assert.deepEqual(
      host.prompts.map(({ path }) => path.id),
      [session],
    );
    await host.clock.advance(IDLE_DELAY_MS / 2);
    assert.deepEqual(
      host.prompts.map(({ path }) => path.id),
      [session, other],
    );
  });

  it("finds the person in the messages after a restart", async () => {
    const { host, session } = await inView();
    await host.hooks.dispose();
    host.start(project.folder);
    host.idle(session);
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 1);
    assert.equal(host.prompts[0].body.agent, "build");
  });
});

describe("no reminder", () => {
  it("when the person writes within the delay", async () => {
    const { host, session } = await inView();
    await host.clock.advance(IDLE_DELAY_MS - 1);
    await host.say(session, "something else");
    assert.equal(host.clock.armed, 0);
    await host.clock.advance(10 * IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 0);
  });

  it("when the person writes while the todos are being fetched", async () => {
    const { host, session } = await inView();
    const held = resolvers();
    const todos = host.of(session).todos;
    host.replaced["session.todo"] = () => held.promise;
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.requests("session.todo").length, 1);
    await host.say(session, "something else");
    held.resolve({ data: todos });
    await settled();
    await host.clock.advance(10 * IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 0);
  });

  it("when the list was finished or cleared meanwhile", async () => {
    for (const todos of [[], [todo("write the tests", "completed")], [todo("x", "cancelled")]]) {
      const { host, session } = await inView();
      host.of(session).todos = todos;
      await host.clock.advance(10 * IDLE_DELAY_MS);
      assert.equal(host.prompts.length, 0);
    }
  });

  for (const [title, stop] of [
    ["Esc", (host, session) => host.fail(session)],
    ["Esc on an older host", (host, session) => host.failQuietly(session)],
    [
      "an error of the provider",
      (host, session) => host.fail(session, { name: "APIError", data: { message: "no" } }),
    ],
    [
      "Esc while the host waits to ask again",
      (host, session) => {
        host.retry(session);
        host.failInRetry(session);
      },
    ],
    ["a permission rejected", (host, session) => host.refuse(session)],
  ]) {
    it(`after ${title}, until the person writes; one toast says so`, async () => {
      const host = new FakeHost();
      host.start(project.folder);
      const session = host.session();
      await host.say(session);
      host.write(session, [todo("write the tests")]);
      stop(host, session);
      host.updateLate(session);
      host.idle(session);
      await host.clock.advance(10 * IDLE_DELAY_MS);
      assert.equal(host.prompts.length, 0);
      assert.equal(host.toasts.length, 1);
      assert.match(host.toasts[0].message, /after your next message/);
      await host.say(session, "go on");
      host.end(session);
      await host.clock.advance(IDLE_DELAY_MS);
      assert.equal(host.prompts.length, 1);
    });
  }

  it("after an error in the answer to the plugin's own prompt", async () => {
    const { host, session } = await inView();
    host.replaced["session.promptAsync"] = async () => ({
      error: { name: "NotFoundError", data: { message: "gone" } },
    });
    await host.clock.advance(IDLE_DELAY_MS);
    host.idle(session);
    await host.clock.advance(10 * IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 1);
    assert.match(host.toasts[0].message, /NotFoundError: gone/);
  });

  it("for a subagent's session", async () => {
    const host = new FakeHost();
    host.start(project.folder);
    const parent = host.session();
    const child = host.session({ parentID: parent });
    host.publish("session.created", { sessionID: child, info: host.of(child).info });
    await endWithTodos(host, child);
    await host.clock.advance(10 * IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 0);
  });
});

describe("dispose", () => {
  it("clears the timer, and what comes later does nothing", async () => {
    const { host, session } = await inView();
    assert.equal(host.clock.armed, 1);
    await host.hooks.dispose();
    assert.equal(host.clock.armed, 0);
    const before = host.calls.length;
    host.idle(session);
    await host.say(session);
    host.end(session);
    await host.clock.advance(10 * IDLE_DELAY_MS);
    assert.equal(host.clock.armed, 0);
    assert.equal(host.calls.length, before);
  });

  it("leaves answers that are under way without effect", async () => {
    const { host } = await inView();
    const held = resolvers();
    host.replaced["session.todo"] = () => held.promise;
    await host.clock.advance(IDLE_DELAY_MS);
    await host.hooks.dispose();
    held.resolve({ data: [todo("write the tests")] });
    await settled();
    assert.equal(host.clock.armed, 0);
    assert.equal(host.prompts.length, 0);
  });

  it("may be called twice", async () => {
    const { host } = await inView();
    await host.hooks.dispose();
    await host.hooks.dispose();
  });
});

// Node 20 has no `Promise.withResolvers`.
function resolvers() {
  const held = {};
  held.promise = new Promise((resolve) => {
    held.resolve = resolve;
  });
  return held;
}
