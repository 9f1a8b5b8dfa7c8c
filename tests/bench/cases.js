// What is measured. A case is a row of the table: `prepare` gets the hooks once, what it returns is called `calls` times a
// round and may be asynchronous. `input` and `options` are for the plugin, where it needs others than it gets without them. A new
// row is a new entry here.

import { guardCases } from "./guard.js";
import { messagesHookCases } from "./messages-hook.js";
import { orphanCases } from "./orphans.js";

const SESSION = "ses_01k7q3x9e8bencha1b2c3d4e5";
const MODEL = { providerID: "anthropic", modelID: "claude-sonnet-4-5" };

const event = (type, properties) => ({ event: { id: "evt_1", type, properties } });
const status = (type) => event("session.status", { sessionID: SESSION, status: { type } });

const DELTA = event("message.part.delta", {
  sessionID: SESSION,
  messageID: "msg_1",
  partID: "prt_1",
  field: "text",
  delta: " word",
});
const PART = event("message.part.updated", {
  sessionID: SESSION,
  part: {
    id: "prt_1",
    messageID: "msg_1",
    sessionID: SESSION,
    type: "text",
    text: "word ".repeat(200),
  },
  time: 1,
});
const ANSWER = event("message.updated", {
  sessionID: SESSION,
  info: {
    id: "msg_2",
    parentID: "msg_1",
    role: "assistant",
    sessionID: SESSION,
    agent: "build",
    mode: "build",
    path: { cwd: "/project", root: "/" },
    cost: 0.01,
    tokens: { input: 1000, output: 100, reasoning: 0, cache: { read: 0, write: 0 } },
    ...MODEL,
    time: { created: 1, completed: 2 },
    finish: "stop",
  },
});
const USER_AGAIN = event("message.updated", {
  sessionID: SESSION,
  info: { id: "msg_1", role: "user", sessionID: SESSION, agent: "build", model: MODEL, time: {} },
});
/** The list after its first `finished` steps. */
const todos = (finished) =>
  event("todo.updated", {
    sessionID: SESSION,
    todos: Array.from({ length: 10 }, (_, number) => ({
      content: `Step ${number}: write the tests for the part that was added before`,
      status: number < finished ? "completed" : number === finished ? "in_progress" : "pending",
      priority: "medium",
    })),
  });
const MESSAGE = {
  message: {
    id: "msg_1",
    role: "user",
    sessionID: SESSION,
    agent: "build",
    model: { ...MODEL, variant: "high" },
    time: { created: 1 },
  },
  parts: [{ id: "prt_1", messageID: "msg_1", sessionID: SESSION, type: "text", text: "Go on." }],
};

/** An event again and again. */
const published = (input) => (hooks) => () => hooks.event(input);

/** Two events in turn, so that each changes something. */
function alternating(one, other) {
  return (hooks) => {
    let isOne = false;
    return () => {
      isOne = !isOne;
      hooks.event(isOne ? one : other);
    };
  };
}

/** @type {{ name: string, calls: number, prepare: (hooks: any) => () => unknown, input?: any, options?: any }[]} */
export const CASES = [
  { name: "irrelevant: a text delta", calls: 2_000_000, prepare: published(DELTA) },
  { name: "irrelevant: a part update", calls: 2_000_000, prepare: published(PART) },
  { name: "irrelevant: a user update", calls: 2_000_000, prepare: published(USER_AGAIN) },
  {
    name: "status busy / idle",
    calls: 20_000,
    prepare: alternating(status("busy"), status("idle")),
  },
  { name: "an assistant update", calls: 50_000, prepare: published(ANSWER) },
  { name: "10 todos", calls: 10_000, prepare: alternating(todos(1), todos(2)) },
  {
    name: "a user message",
    calls: 20_000,
    prepare: (hooks) => () => hooks["chat.message"]({ sessionID: SESSION }, MESSAGE),
  },
  ...messagesHookCases(),
  ...guardCases(),
  ...orphanCases(),
];

/** The first hook that opencode calls: see `start.js`. */
export const FIRST = status("busy");
