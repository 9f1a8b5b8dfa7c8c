// Which of opencode's events reach the core, and as what.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { inputOf } from "../../js/events.js";
import { Core } from "../../pkg/todo_keeper.js";
import { emptyProject, FakeHost, todo } from "./host.js";

const SESSION = "ses_1";

/** The events that say something, with the input that each becomes. */
const RELEVANT = [
  [
    "session.status",
    { sessionID: SESSION, status: { type: "busy" } },
    { type: "sessionBusy", session: SESSION },
  ],
  [
    "session.status",
    { sessionID: SESSION, status: { type: "retry", attempt: 1, message: "slow down", next: 1 } },
    { type: "sessionRetrying", session: SESSION },
  ],
  [
    "session.status",
    { sessionID: SESSION, status: { type: "idle" } },
    { type: "sessionIdle", session: SESSION },
  ],
  ["session.idle", { sessionID: SESSION }, { type: "sessionIdle", session: SESSION }],
  [
    "session.error",
    { sessionID: SESSION, error: { name: "APIError", data: { message: "no", statusCode: 400 } } },
    { type: "sessionFailed", session: SESSION, error: { name: "APIError", message: "no" } },
  ],
  [
    "session.created",
    { sessionID: SESSION, info: { id: SESSION, parentID: "ses_0", title: "sub" } },
    { type: "subagentSeen", session: SESSION, parent: "ses_0" },
  ],
  [
    "session.updated",
    { sessionID: SESSION, info: { id: SESSION, parentID: "ses_0" } },
    { type: "subagentSeen", session: SESSION, parent: "ses_0" },
  ],
  [
    "session.deleted",
    { sessionID: SESSION, info: { id: SESSION } },
    { type: "sessionDeleted", session: SESSION },
  ],
  [
    "message.updated",
    {
      sessionID: SESSION,
      info: {
        id: "msg_1",
        role: "assistant",
        sessionID: SESSION,
        finish: "stop",
        time: { completed: 1 },
      },
    },
    {
      type: "assistantMessage",
      session: SESSION,
      message: { id: "msg_1", error: undefined, finish: "stop", todos: [] },
    },
  ],
  [
    "message.updated",
    {
      sessionID: SESSION,
      info: {
        id: "msg_1",
        role: "assistant",
        sessionID: SESSION,
        error: { name: "MessageAbortedError", data: { message: "Aborted" } },
        time: {},
      },
    },
    {
      type: "assistantMessage",
      session: SESSION,
      message: {
        id: "msg_1",
        error: { name: "MessageAbortedError", message: "Aborted" },
        finish: undefined,
        todos: [],
      },
    },
  ],
  [
    "message.part.updated",
    {
      sessionID: SESSION,
      part: { type: "step-finish", reason: "stop", messageID: "msg_1", sessionID: SESSION },
    },
    { type: "stepEnded", session: SESSION, message: "msg_1", reason: "stop", hasCalls: false },
  ],
  [
    "todo.updated",
    { sessionID: SESSION, todos: [{ id: "1", ...todo("one") }] },
    { type: "todosUpdated", session: SESSION, todos: [todo("one")] },
  ],
  [
    "permission.asked",
    { id: "per_1", sessionID: SESSION, permission: "bash" },
    { type: "asked", session: SESSION, ask: "per_1" },
  ],
  [
    "permission.replied",
    { sessionID: SESSION, requestID: "per_1", reply: "once" },
    { type: "answered", session: SESSION, ask: "per_1" },
  ],
  [
    "question.asked",
    { id: "que_1", sessionID: SESSION, questions: [] },
    { type: "asked", session: SESSION, ask: "que_1" },
  ],
  [
    "question.replied",
    { sessionID: SESSION, requestID: "que_1", answers: [["A"]] },
    { type: "answered", session: SESSION, ask: "que_1" },
  ],
  [
    "question.rejected",
    { sessionID: SESSION, requestID: "que_1" },
    { type: "answered", session: SESSION, ask: "que_1" },
  ],
];

/** Events of types that matter, which say nothing new. */
const EMPTY = [
  ["session.status", { sessionID: SESSION, status: { type: "of a newer host" } }],
  ["session.error", { error: { name: "UnknownError", data: { message: "a plugin" } } }],
  ["session.error", { sessionID: SESSION }],
  ["session.created", { sessionID: SESSION, info: { id: SESSION } }],
  ["session.updated", { sessionID: SESSION, info: { id: SESSION, time: { archived: 1 } } }],
  [
    "message.updated",
    { sessionID: SESSION, info: { id: "msg_1", role: "user", sessionID: SESSION } },
  ],
  [
    "message.updated",
    {
      sessionID: SESSION,
      info: { id: "msg_1", role: "assistant", sessionID: SESSION, time: { created: 1 } },
    },
  ],
];

for (const type of ["text", "reasoning", "step-start", "patch", "file", "tool"]) {
  const part = { type, messageID: "msg_9", sessionID: SESSION, state: { status: "running" } };
  EMPTY.push(["message.part.updated", { sessionID: SESSION, part }]);
}

/** Every type of event in opencode's own types, for its old client and its new one, and the ones that it forgot. */
function knownTypes() {
  const types = ["dist/gen/types.gen.d.ts", "dist/v2/gen/types.gen.d.ts"].flatMap((file) => {
    const url = new URL(`../../node_modules/@opencode-ai/sdk/${file}`, import.meta.url);
    return [...readFileSync(url, "utf8").matchAll(/\btype: "(\w+(?:\.\w+)+)"/g)].map(
      ([, type]) => type,
    );
  });
  return [...new Set([...types, "message.part.delta", "server.heartbeat"])];
}

const relevantTypes = new Set(RELEVANT.map(([type]) => type));
const irrelevantTypes = knownTypes().filter((type) => !relevantTypes.has(type));

describe("an event", () => {
  for (const [type, properties, input] of RELEVANT) {
    it(`${type} becomes ${input.type}`, () => {
      assert.deepEqual(inputOf({ id: "evt_1", type, properties }), input);
    });
  }

  for (const [type, properties] of EMPTY) {
    it(`${type} ${JSON.stringify(properties)} says nothing`, () => {
      assert.equal(inputOf({ id: "evt_1", type, properties }), undefined);
    });
  }

  it("of any other type leaves without a look at what it holds", () => {
    assert.ok(irrelevantTypes.length > 50, `only ${irrelevantTypes.length} types were found`);
    assert.ok(irrelevantTypes.includes("message.part.delta"));
    const untouchable = new Proxy(
      {},
      {
        get(_, key) {
          throw new Error(`${String(key)} was read`);
        },
      },
    );
    for (const type of [...irrelevantTypes, "of.a.newer.host", "constructor", "__proto__"]) {
      assert.equal(inputOf({ type, properties: untouchable }), undefined, type);
    }
  });
});

describe("the end of a step", () => {
  const update = (part) =>
    inputOf({
      type: "message.part.updated",
      properties: { part: { sessionID: SESSION, messageID: "msg_7", ...part } },
    });
  const call = { type: "tool", state: { status: "pending" } };
  const end = { type: "step-finish", reason: "stop" };
  const complete = () =>
    inputOf({
      type: "message.updated",
      properties: {
        info: { id: "msg_7", role: "assistant", sessionID: SESSION, time: { completed: 1 } },
      },
    });

  it("tells whether the answer called tools", () => {
    update(call);
    assert.equal(update({ ...end, messageID: "msg_8" }).hasCalls, false);
    assert.equal(update(end).hasCalls, true);
  });

  it("forgets that when the answer is complete", () => {
    update(call);
    complete();
    assert.equal(update(end).hasCalls, false);
  });

  it("does not count what the provider runs itself", () => {
    update({ ...call, metadata: { providerExecuted: true } });
    assert.equal(update(end).hasCalls, false);
  });

  it("costs a part that says nothing one look at its type", () => {
    const read = [];
    const part = new Proxy(
      {},
      {
        get(_, key) {
          read.push(key);
          return "text";
        },
      },
    );
    assert.equal(inputOf({ type: "message.part.updated", properties: { part } }), undefined);
    assert.ok(
      read.every((key) => key === "type"),
      read.join(),
    );
  });
});

describe("the event hook", () => {
  const { handle } = Core.prototype;
  const seen = [];
  let project;
  let host;
  before(() => {
    project = emptyProject();
    Core.prototype.handle = function (input, now) {
      seen.push(input);
      return handle.call(this, input, now);
    };
    host = new FakeHost();
    host.start(project.folder);
  });
  after(() => {
    Core.prototype.handle = handle;
    project.remove();
  });

  it("keeps everything irrelevant out of WebAssembly", () => {
    for (const type of irrelevantTypes)
      host.publish(type, { sessionID: SESSION, delta: "x", part: {} });
    for (const [type, properties] of EMPTY) host.publish(type, properties);
    assert.deepEqual(seen, []);
    assert.deepEqual(host.calls, []);
  });

  it("calls the core once for each relevant event", () => {
    for (const [type, properties] of RELEVANT) host.publish(type, properties);
    assert.deepEqual(
      seen,
      RELEVANT.map(([, , input]) => input),
    );
    assert.deepEqual(
      host.logged().filter((line) => line.includes("dropped")),
      [],
    );
  });

  it("makes no promise", () => {
    for (const [type, properties] of [
      ["message.part.delta", { delta: "x" }],
      ["session.idle", { sessionID: SESSION }],
    ]) {
      assert.equal(host.publish(type, properties), undefined);
    }
  });
});
