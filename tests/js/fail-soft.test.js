// Whatever the host hands in, answers or lacks: no hook throws or rejects, and the rest goes on.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cycle, FAILURES, hostile } from "./failures.js";
import {
  emptyProject,
  endWithTodos,
  FakeHost,
  hostInView,
  IDLE_DELAY_MS,
  settled,
  todo,
} from "./host.js";

let project;
before(() => {
  project = emptyProject();
});
after(() => project.remove());

/** Things that make code throw which does not expect them, made afresh for each use. */
const GARBAGE = {
  undefined: () => undefined,
  null: () => null,
  "a number": () => 42,
  "not a number": () => Number.NaN,
  "a big integer": () => 10n,
  "a symbol": () => Symbol("s"),
  "an empty text": () => "",
  "a lone surrogate": () => "\ud800",
  "a huge text": () => "x".repeat(3_000_000),
  "an empty object": () => ({}),
  "an object without a prototype": () => Object.create(null),
  "an empty list": () => [],
  "a list of nothing": () => [null, undefined],
  "a sparse list": () => new Array(3),
  "a function": () => () => {},
  "a date": () => new Date(Number.NaN),
  "a map": () => new Map([["type", "session.idle"]]),
  "a cycle": cycle,
  "a bush of cycles": () => {
    const bush = {};
    for (const name of ["a", "b", "c", "d"]) bush[name] = [bush, bush];
    return bush;
  },
  "a cyclic list": () => {
    const cycle = [];
    cycle.push(cycle);
    return cycle;
  },
  "a deep object": () => {
    let deep = {};
    for (let level = 0; level < 20_000; level += 1) deep = { content: deep };
    return deep;
  },
  "a proxy that throws": () => hostile(() => new Error("do not touch")),
  "a proxy that throws nothing": () => hostile(() => undefined),
  "a proxy that throws what has no text": () => hostile(() => Object.create(null)),
  "a proxy that throws itself": () => {
    const proxy = hostile(() => proxy);
    return proxy;
  },
  "a revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  "an object whose text throws": () => ({
    toString() {
      throw new Error("no text");
    },
    toJSON() {
      throw new Error("no JSON");
    },
  }),
};

/** Well-formed events and messages; each of their values is replaced by each kind of garbage in turn. */
const EVENTS = [
  { type: "session.status", properties: { sessionID: "ses_x", status: { type: "busy" } } },
  { type: "session.idle", properties: { sessionID: "ses_x" } },
  {
    type: "session.error",
    properties: { sessionID: "ses_x", error: { name: "APIError", data: { message: "no" } } },
  },
  { type: "session.created", properties: { info: { id: "ses_x", parentID: "ses_0" } } },
  { type: "session.deleted", properties: { info: { id: "ses_x" } } },
  {
    type: "message.updated",
    properties: {
      info: {
        id: "msg_1",
        role: "assistant",
        sessionID: "ses_x",
        time: { completed: 1 },
        finish: "stop",
        error: { name: "APIError", data: { message: "no" } },
      },
    },
  },
  { type: "todo.updated", properties: { sessionID: "ses_x", todos: [todo("one")] } },
  { type: "permission.asked", properties: { sessionID: "ses_x", id: "per_1" } },
  { type: "permission.replied", properties: { sessionID: "ses_x", requestID: "per_1" } },
];
const MESSAGE = {
  message: {
    id: "msg_1",
    role: "user",
    sessionID: "ses_x",
    agent: "build",
    model: { providerID: "p", modelID: "m", variant: "v" },
    tools: { bash: true },
    system: "s",
  },
  parts: [
    {
      type: "text",
      text: "t",
      synthetic: false,
      metadata: { "opencode-todo-keeper": { reminder: 1 } },
    },
  ],
};

/** Copies of `value` in which one value, at any depth, is what `make` gives. */
function* damaged(value, make) {
  yield make();
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    for (const bad of damaged(value[key], make)) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      copy[key] = bad;
      yield copy;
    }
  }
}

describe("the hooks survive", () => {
  for (const [name, make] of Object.entries(GARBAGE)) {
    it(name, async () => {
      const { host, session } = await hostInView(project.folder);
      const {
        event,
        "chat.message": onMessage,
        "experimental.chat.messages.transform": onRequest,
        "experimental.session.compacting": onCompacting,
        "tool.execute.before": beforeTool,
        "tool.execute.after": afterTool,
        dispose,
      } = host.hooks;
      const rejections = [];
      const onRejection = (error) => rejections.push(error);
      process.on("unhandledRejection", onRejection);
      try {
        event();
        event(make());
        for (const good of EVENTS) {
          for (const bad of damaged(good, make)) assert.equal(event({ event: bad }), undefined);
        }
        await onMessage();
        await onMessage(make(), make());
        for (const bad of damaged(MESSAGE, make)) await onMessage({ sessionID: "ses_x" }, bad);
        await onRequest();
        await onRequest(make(), make());
        const request = { messages: [{ info: MESSAGE.message, parts: MESSAGE.parts }] };
        for (const bad of damaged(request, make)) await host.clock.meanwhile(onRequest({}, bad));
        await onCompacting();
        await onCompacting(make(), make());
        for (const bad of damaged({ sessionID: "ses_x" }, make))
          await host.clock.meanwhile(onCompacting(bad, make()));
        await beforeTool();
        await beforeTool(make(), make());
        await afterTool();
        await afterTool(make(), make());
        const call = { tool: "todowrite", sessionID: session, callID: "call_1" };
        for (const bad of damaged({ args: { todos: [todo("two")] } }, make)) {
          await beforeTool(call, bad);
          await afterTool(call, make());
        }
        for (const bad of damaged(call, make)) {
          await beforeTool(bad, { args: { todos: [todo("two")] } });
          await afterTool(bad, { output: "[]" });
        }
        await settled();
        assert.deepEqual(rejections, []);
      } finally {
        process.removeListener("unhandledRejection", onRejection);
      }

      await host.say(session, "go on");
      host.end(session);
      await host.clock.advance(IDLE_DELAY_MS);
      assert.equal(host.prompts.filter(({ path }) => path.id === session).length, 1);
      await dispose(make());
    });
  }

  it("an event that is no object and comes a thousand times, with one line in the log", async () => {
    const { host } = await hostInView(project.folder);
    const before = host.logged().length;
    for (let round = 0; round < 1000; round += 1) host.hooks.event({ event: undefined });
    assert.equal(host.logged().length - before, 1);
  });
});

describe("a message of the person cancels the reminder", () => {
  for (const [what, damage] of Object.entries({
    "without an agent": (info) => ({ ...info, agent: undefined }),
    "with an empty agent": (info) => ({ ...info, agent: "" }),
    "with an agent that is no name": (info) => ({ ...info, agent: { name: "build" } }),
    "without a model": (info) => ({ ...info, model: undefined }),
    "with a model of another shape": (info) => ({ ...info, model: "scripted/one" }),
    "with tools of another shape": (info) => ({ ...info, tools: ["bash"] }),
    "with a variant of another shape": (info) => ({ ...info, variant: 1, model: { variant: 1 } }),
    "with a system prompt of another shape": (info) => ({ ...info, system: ["s"] }),
  })) {
    it(what, async () => {
      const { host, session } = await hostInView(project.folder);
      const model = { providerID: "p", modelID: "m" };
      const info = { id: "msg_99999999", role: "user", sessionID: session, agent: "build", model };
      await host.hooks["chat.message"](
        {},
        { message: damage(info), parts: [{ type: "text", text: "stop" }] },
      );
      await host.clock.advance(10 * IDLE_DELAY_MS);
      assert.equal(host.prompts.length, 0);
    });
  }

  for (const [what, parts] of Object.entries({
    "without parts": undefined,
    "with parts of nothing": [null, undefined],
    "with a mark of another shape": [
      { type: "text", text: "stop", metadata: { "opencode-todo-keeper": "1" } },
    ],
  })) {
    it(what, async () => {
      const { host, session } = await hostInView(project.folder);
      const model = { providerID: "p", modelID: "m" };
      const message = {
        id: "msg_99999999",
        role: "user",
        sessionID: session,
        agent: "build",
        model,
      };
      await host.hooks["chat.message"]({}, { message, parts });
      await host.clock.advance(10 * IDLE_DELAY_MS);
      assert.equal(host.prompts.length, 0);
    });
  }
});

/** Without an answer to these there is no reminder. */
const NEEDED = ["session.todo", "session.get"];

describe("the client's", () => {
  const { setTimeout: realTimeout } = globalThis;
  before(() => {
    // The host's five seconds for an answer are real ones.
    globalThis.setTimeout = (act, delay, ...rest) =>
      realTimeout(act, delay === 5_000 ? 2 : delay, ...rest);
  });
  after(() => {
    globalThis.setTimeout = realTimeout;
  });

  for (const method of ["session.todo", "session.get", "session.status", "app.agents"]) {
    for (const [how, failure] of Object.entries(FAILURES)) {
      it(`${method} ${how}`, async () => {
        const host = new FakeHost();
        host.replaced = { [method]: failure };
        host.start(project.folder);
        const session = host.session();
        for (let turn = 1; turn <= 2; turn += 1) {
          const attempts = NEEDED.includes(method) ? 3 : 1;
          await endWithTodos(host, session);
          await until(host, () => host.prompts.length === turn, attempts);
          assert.equal(host.prompts.length, NEEDED.includes(method) ? 0 : turn);
        }
        const lines = host.logged("warn", "error").filter((line) => line.includes(method));
        // The ids of the sessions that run are the keys of an object, whatever it holds.
        const isFit = `${method} ${how}` === "session.status answers with a cycle";
        assert.equal(lines.length, isFit ? 0 : 1, lines.join("; "));
      });
    }
  }

  for (const method of ["session.promptAsync", "app.log", "tui.showToast"]) {
    for (const [how, failure] of Object.entries(FAILURES)) {
      it(`${method} ${how}`, async () => {
        const host = new FakeHost();
        host.replaced = { [method]: failure };
        host.start(project.folder, { unknownOption: 1 });
        const [session, other] = [host.session(), host.session()];
        for (const one of [session, other]) {
          await endWithTodos(host, one);
          await host.clock.advance(IDLE_DELAY_MS);
          host.idle(one);
          await host.clock.advance(100_000);
        }
        assert.ok(host.prompts.some(({ path }) => path.id === session));
        assert.ok(host.prompts.some(({ path }) => path.id === other));
      });
    }
  }

  it("session.messages fails after a restart, and the person's next message helps", async () => {
    for (const failure of Object.values(FAILURES)) {
      const host = new FakeHost();
      host.start(project.folder);
      const session = host.session();
      await endWithTodos(host, session);
      await host.hooks.dispose();
      host.replaced = { "session.messages": failure };
      host.start(project.folder);
      host.idle(session);
      await until(host, () => host.prompts.length > 0, 1);
      assert.equal(host.prompts.length, 0);
      await endWithTodos(host, session);
      await until(host, () => host.prompts.length > 0, 1);
      assert.equal(host.prompts.length, 1);
    }
  });

  it("whole self is missing", async () => {
    for (const client of [
      undefined,
      null,
      {},
      { session: null, app: null, tui: null },
      42,
      hostile(() => new Error("do not touch")),
    ]) {
      const host = new FakeHost();
      Object.defineProperty(host, "client", { value: client });
      host.start(project.folder, { unknownOption: 1 });
      await endWithTodos(host, host.session());
      await host.clock.advance(100_000);
      assert.deepEqual(host.calls, []);
    }
  });
});

/** Lets the clock go on, and waits for real timers, until it holds or all attempts are over. */
async function until(host, holds, attempts) {
  for (let attempt = 0; attempt < attempts && !holds(); attempt += 1) {
    await host.clock.advance(attempt === 0 ? IDLE_DELAY_MS : 5_000);
    for (let round = 0; round < 2 && !holds(); round += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
