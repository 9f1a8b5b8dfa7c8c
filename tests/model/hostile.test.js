// Arbitrary and hostile objects at every hook: none throws, rejects or hangs, and the plugin still reminds afterwards.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { emptyProject } from "../js/host.js";
import { quiet, release } from "./clock.js";
import { Host } from "./host.js";

const RUNS = Number(process.env["HOSTILE"] ?? 5_000);
const SEED = Number(process.env["SEED"] ?? 20_260);
const PLAN = {
  options: { maxAutoSubmitsPerTodo: 3, maxRemindersPerMessage: 50, warnOrphanedTodos: true },
  answers: [],
};

const throwing = () => {
  throw new Error("do not touch");
};

/** Made afresh for each use, by name: what is thrown, revoked or counted does not survive a second run of shrinking. */
const HOSTILE = {
  "a getter that throws": () => ({
    get type() {
      return throwing();
    },
    get info() {
      return throwing();
    },
    get id() {
      return throwing();
    },
    get todos() {
      return throwing();
    },
    get text() {
      return throwing();
    },
  }),
  "a getter that answers differently each time": () => {
    let count = 0;
    const next = () => {
      count += 1;
      return count % 2 === 0 ? "ses_x" : { type: "idle" };
    };
    return {
      get id() {
        return next();
      },
      get type() {
        return next();
      },
      get content() {
        return next();
      },
      get status() {
        return next();
      },
    };
  },
  "a proxy that throws": () =>
    new Proxy(
      {},
      { get: throwing, has: throwing, ownKeys: throwing, getOwnPropertyDescriptor: throwing },
    ),
  "a list that throws": () =>
    new Proxy([{}], { get: (list, key) => (key === "length" ? 3 : throwing(list)) }),
  "a list that claims to be one": () => Object.setPrototypeOf({ length: 2 }, Array.prototype),
  "a revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  "a revoked list": () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    return proxy;
  },
  "a cycle": () => {
    const cycle = { id: "ses_x", content: "x", status: "pending" };
    cycle.self = cycle;
    cycle.parts = [cycle];
    cycle.info = cycle;
    return cycle;
  },
  "an own __proto__": () => JSON.parse('{"__proto__": {"isPaused": true, "id": "ses_x"}}'),
  "another prototype": () => Object.create({ id: "ses_x", type: "text", todos: [] }),
  "a huge text": () => "x".repeat(300_000),
  "a text of quotation marks": () => '\\"'.repeat(50_000),
  "a lone surrogate": () => "\udc00\ud800",
  "a symbol": () => Symbol("s"),
  "a big integer": () => 2n ** 70n,
  "a function": () => throwing,
  "a class": () => class extends Array {},
  "a thenable that throws": () => Object.defineProperty({}, ["then"][0], { get: throwing }),
  "an object without a text": () => ({ [Symbol.iterator]: throwing, toString: throwing }),
  frozen: () => Object.freeze({ todos: Object.freeze([Object.freeze({ content: "x" })]) }),
  "not a number": () => Number.NaN,
  nothing: () => undefined,
};

/** How deep something is put: there are cycles. */
const DEEPEST = 6;

const SESSION = "ses_000001";
const MODEL = { providerID: "p", modelID: "m" };
const INFO = { id: "msg_999999", role: "user", sessionID: "ses_x", agent: "build", model: MODEL };
const PARTS = [{ type: "text", text: "t", metadata: { "opencode-todo-keeper": { reminder: 1 } } }];
const TODOS = [{ content: "one", status: "pending", priority: "low" }];
const CALL = { tool: "todowrite", sessionID: "ses_x", callID: "call_x" };
const EVENTS = {
  "session.status": { sessionID: "ses_x", status: { type: "busy" } },
  "session.idle": { sessionID: "ses_x" },
  "session.error": { sessionID: "ses_x", error: { name: "APIError", data: { message: "no" } } },
  "session.created": { info: { id: "ses_x", parentID: "ses_0" } },
  "session.updated": { info: { id: "ses_x", parentID: "ses_0" } },
  "session.deleted": { info: { id: "ses_x" } },
  "message.updated": {
    info: { ...INFO, role: "assistant", time: { completed: 1 }, finish: "stop" },
  },
  "todo.updated": { sessionID: "ses_x", todos: TODOS },
  "permission.asked": { sessionID: "ses_x", id: "per_1" },
  "permission.replied": { sessionID: "ses_x", requestID: "per_1" },
  "question.asked": { sessionID: "ses_x", id: "que_1" },
  "question.rejected": { sessionID: "ses_x", requestID: "que_1" },
  "message.part.updated": { part: PARTS[0] },
};

/** The hooks, with arguments that are as they should be. */
const CALLS = [
  ...Object.entries(EVENTS).map(([type, properties]) => ["event", { event: { type, properties } }]),
  ["chat.message", { sessionID: "ses_x" }, { message: INFO, parts: PARTS }],
  ["experimental.chat.messages.transform", {}, { messages: [{ info: INFO, parts: PARTS }] }],
  ["experimental.session.compacting", { sessionID: "ses_x" }, { context: [] }],
  ["tool.execute.before", CALL, { args: { todos: TODOS } }],
  ["tool.execute.before", { ...CALL, sessionID: SESSION }, { args: { todos: [] } }],
  ["tool.execute.after", CALL, { output: "[]" }],
  ["config", { command: {} }],
  [
    "command.execute.before",
    { command: "todo-keeper", sessionID: "ses_x", arguments: "pause" },
    { parts: PARTS },
  ],
  ["tool", {}, { sessionID: "ses_x" }],
  ["dispose", undefined],
];

/** What is put there: by its name when it is hostile, else as JSON has it, at times as the prototype's name. */
const values = fc.oneof(
  fc.constantFrom(...Object.keys(HOSTILE)).map((hostile) => ({ hostile })),
  fc.jsonValue().map((value) => ({ value })),
  fc
    .object({ key: fc.constantFrom("__proto__", "id", "info", "type", "todos", "constructor") })
    .map((value) => ({ value })),
);
const puts = fc.array(
  fc.record({
    call: fc.nat(CALLS.length - 1),
    places: fc.array(fc.record({ at: fc.nat(40), value: values }), { maxLength: 3 }),
    isWholeGone: fc.constantFrom(false, false, false, false, true),
  }),
  { minLength: 1, maxLength: 6 },
);

/** A copy of `whole` in which the value at the place with this number is another one. */
function put(whole, at, make) {
  const paths = [];
  const walk = (value, path) => {
    if (path.length > DEEPEST) return;
    paths.push(path);
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) walk(value[key], [...path, key]);
  };
  walk(whole, []);
  const replace = (value, [key, ...rest]) => {
    if (key === undefined) return make();
    const copy = Array.isArray(value) ? [...value] : { ...value };
    copy[key] = replace(value[key], rest);
    return copy;
  };
  // The whole list of arguments stays one.
  const path = paths[1 + (at % (paths.length - 1))];
  return replace(whole, path);
}

/** The same for several places; what is put inside of something hostile is left out. */
function argumentsOf({ call, places, isWholeGone }) {
  let [, ...args] = CALLS[call];
  if (isWholeGone) return [];
  for (const { at, value } of places) {
    try {
      const make = () => ("hostile" in value ? HOSTILE[value.hostile]() : value.value);
      args = put(args, at, make);
    } catch {
      break;
    }
  }
  return args;
}

const rejections = [];
const onRejection = (error) => rejections.push(error);

let project;
before(() => {
  project = emptyProject();
  process.on("unhandledRejection", onRejection);
});
after(() => {
  process.removeListener("unhandledRejection", onRejection);
  release();
  project.remove();
});

describe("arbitrary and hostile objects", () => {
  it(`at every hook do no harm, in ${RUNS} sequences`, async () => {
    const property = fc.asyncProperty(puts, async (calls) => {
      const host = new Host(PLAN);
      try {
        for (const call of calls) await callHook(host, call);
        await host.stillReminds();
        await host.close();
        assert.deepEqual(host.oracle.faults, []);
        assert.deepEqual(rejections.splice(0), []);
      } finally {
        release();
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});

async function callHook(host, put) {
  const [name] = CALLS[put.call];
  if (host.copies.length === 0) host.load();
  const [hooks] = host.copies;
  const hook = name === "tool" ? hooks.tool.todo_orphans.execute : hooks[name];
  assert.equal(typeof hook, "function", name);
  if (name === "dispose") host.copies = [];
  const args = argumentsOf(put);
  let isDone = false;
  let failure;
  const done = (error) => {
    isDone = true;
    failure = error;
  };
  // Not awaited by opencode: it must not even throw.
  const answer = hook(...args);
  if (name === "event") assert.equal(answer, undefined);
  else Promise.resolve(answer).then(() => done(), done);
  await quiet();
  await host.clock.advance(20_000);
  if (name === "event") return;
  assert.ok(isDone, `${name} did not end`);
  if (failure === undefined) return;
  assert.equal(name, "command.execute.before", String(failure));
  assert.match(failure.message, /answered the command/);
}
