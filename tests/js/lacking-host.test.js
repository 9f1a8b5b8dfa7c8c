// A host that lacks a hook, or a method that only a part of the plugin needs, or that never answers: the rest goes on, and no
// hook waits for ever. What every reminder needs is in fail-soft.test.js.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { FAILURES } from "./failures.js";
import {
  emptyProject,
  endWithTodos,
  FakeHost,
  hostInView,
  IDLE_DELAY_MS,
  METHODS,
  todo,
} from "./host.js";

const { setTimeout: realTimeout } = globalThis;
let project;
before(() => {
  project = emptyProject();
  // The host's seconds for an answer are real ones.
  globalThis.setTimeout = (act, delay) => {
    const timer = realTimeout(act, delay >= 1_000 ? 2 : delay);
    // Nothing else keeps the test alive while it waits for them.
    timer.unref = () => timer;
    return timer;
  };
});
after(() => {
  globalThis.setTimeout = realTimeout;
  project.remove();
});

/** A host in which one method of the client does something else. */
function hostWith(method, failure, options) {
  const host = new FakeHost();
  host.replaced = { [method]: failure };
  host.start(project.folder, options);
  return host;
}

/** Whether the next turn of a new session is reminded of, and what the reminder says. */
async function reminderOf(host, session = host.session()) {
  const sent = () => host.requests("session.promptAsync").filter(({ path }) => path.id === session);
  const before = sent().length;
  await endWithTodos(host, session);
  for (let round = 0; round < 50 && sent().length === before; round += 1) {
    await host.clock.advance(IDLE_DELAY_MS);
    await new Promise((resolve) => realTimeout(resolve, 2));
  }
  assert.equal(sent().length, before + 1);
  return sent().at(-1).body.parts[0].text;
}

/** A command of the person, which ends in an error as it should. */
async function give(host, session, word) {
  const ended = assert.rejects(host.command(session, "todo-keeper", word), /answered the command/);
  await host.clock.meanwhile(ended);
}

/** Waits for what real timers bring, but not for ever. */
async function until(holds) {
  for (let round = 0; round < 500 && !holds(); round += 1)
    await new Promise((resolve) => realTimeout(resolve, 2));
}

/** The failures that look like success when nothing was asked for. */
const TAKEN = Object.keys(FAILURES).filter((how) =>
  /^answers (without|with (null|a (?!text as)))/.test(how),
);

describe("a part of the plugin does without", () => {
  for (const [how, failure] of Object.entries(FAILURES)) {
    it(`session.list, which ${how}`, async () => {
      const host = hostWith("session.list", failure, { warnOrphanedTodos: true });
      const text = await reminderOf(host);
      assert.ok(!text.includes("For information only"), text);
      const asked = host.hooks.tool.todo_orphans.execute({}, { sessionID: host.session() });
      const answer = await host.clock.meanwhile(asked);
      assert.equal(typeof answer, "string");
    });

    it(`session.update, which ${how}`, async () => {
      const host = hostWith("session.update", failure);
      const session = host.session();
      await endWithTodos(host, session);
      await give(host, session, "pause");
      await until(() => host.requests("session.prompt").length > 0);
      // It was not stored, so that it does not hold.
      await reminderOf(host, session);
      await reminderOf(host);
    });

    it(`session.prompt, which ${how}`, async () => {
      const host = hostWith("session.prompt", failure);
      const session = host.session();
      await endWithTodos(host, session);
      await give(host, session, "status");
      // What answers without an error is taken at its word.
      const toasts = () => host.toasts.filter(({ title }) => title === "Todo keeper").length;
      const isTaken = TAKEN.includes(how);
      if (!isTaken) await until(() => toasts() > 0);
      assert.equal(toasts(), isTaken ? 0 : 1);
      await reminderOf(host);
    });
  }
});

/** The hooks that opencode waits for, called as it calls them. */
const AWAITED = {
  "chat.message": (host, session) =>
    host.hooks["chat.message"](
      { sessionID: session },
      { message: { id: "msg_99999999", role: "user", sessionID: session }, parts: [] },
    ),
  "experimental.chat.messages.transform": (host, session) => {
    const info = { id: "msg_00000001", role: "user", sessionID: session };
    return host.hooks["experimental.chat.messages.transform"](
      {},
      { messages: [{ info, parts: [] }] },
    );
  },
  "experimental.session.compacting": (host, session) =>
    host.hooks["experimental.session.compacting"]({ sessionID: session }, { context: [] }),
  "tool.execute.before": (host, session) =>
    host.hooks["tool.execute.before"](
      { tool: "todowrite", sessionID: session, callID: "call_1" },
      { args: { todos: [todo("one")] } },
    ),
  "tool.execute.after": (host, session) =>
    host.hooks["tool.execute.after"](
      { tool: "todowrite", sessionID: session, callID: "call_1" },
      { output: "[]" },
    ),
  config: (host) => host.hooks.config({}),
  "command.execute.before": (host, session) => give(host, session, "pause"),
  "the tool": (host, session) => host.hooks.tool.todo_orphans.execute({}, { sessionID: session }),
  dispose: (host) => host.hooks.dispose(),
};

describe("no hook waits for ever", () => {
  for (const method of METHODS) {
    it(`for ${method}`, async () => {
      for (const call of Object.values(AWAITED)) {
        const host = hostWith(method, () => new Promise(() => {}), { warnOrphanedTodos: true });
        await host.clock.meanwhile(call(host, host.session()));
      }
    });
  }

  it("for any of them", async () => {
    for (const call of Object.values(AWAITED)) {
      const host = new FakeHost();
      host.replaced = Object.fromEntries(
        METHODS.map((name) => [name, () => new Promise(() => {})]),
      );
      host.start(project.folder, { warnOrphanedTodos: true });
      await host.clock.meanwhile(call(host, host.session()));
    }
  });
});

describe("an older host calls", () => {
  for (const name of [
    "chat.message",
    "experimental.chat.messages.transform",
    "experimental.session.compacting",
    "tool.execute.before",
    "tool.execute.after",
    "config",
    "command.execute.before",
    "tool",
    "dispose",
  ]) {
    it(`no ${name}, and reminders come all the same`, async () => {
      const host = new FakeHost();
      host.start(project.folder, { warnOrphanedTodos: true });
      assert.ok(name in host.hooks);
      delete host.hooks[name];
      await reminderOf(host);
      if (name !== "tool.execute.before") await guards(host);
    });
  }

  it("no event, and the guard works all the same", async () => {
    const { host } = await hostInView(project.folder);
    host.hooks.event = () => undefined;
    await guards(host);
  });
});

/** Whether a todo that is left out is put back. */
async function guards(host) {
  const session = host.session();
  host.of(session).todos = [todo("one")];
  const call = { tool: "todowrite", sessionID: session, callID: "call_1" };
  const args = { todos: [] };
  await host.hooks["tool.execute.before"](call, { args });
  assert.equal(args.todos.length, 1);
}
