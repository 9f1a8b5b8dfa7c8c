// The guard on 200 old and 200 new todos, from the hook to the answer; beside it what plain JavaScript does in its place, which
// knows equal texts and texts that are equal but for white space and case, and takes every reworded todo for a lost one.

const COUNT = 200;
const CALL = { tool: "todowrite", sessionID: "ses_guard", callID: "call_1" };

/**
 * Rows of the table: one for each kind of list. The client answers nothing, so the list that was last heard of is guarded.
 * @returns {{ name: string, calls: number, prepare: (hooks: any) => () => unknown }[]}
 */
export function guardCases() {
  const lists = {
    equal: { old: listOf(task), sent: listOf(task).reverse() },
    reworded: { old: listOf(task), sent: listOf(reworded) },
    "all similar": {
      old: listOf(() => "Fix login bug"),
      sent: listOf((at) => `Fix the login bug (#${at + 1})`),
    },
  };
  return Object.entries(lists).map(([name, { old, sent }]) => ({
    name: `guard: ${COUNT} × ${COUNT} todos, ${name}`,
    calls: 50,
    prepare(hooks) {
      const properties = { sessionID: CALL.sessionID, todos: old };
      hooks.event({ event: { id: "evt_1", type: "todo.updated", properties } });
      return async () => {
        await hooks["tool.execute.before"](CALL, { args: { todos: [...sent] } });
        await hooks["tool.execute.after"](CALL, { output: "[]" });
      };
    },
  }));
}

/**
 * The hooks of the plain guard.
 * @param {(session: string) => { content: string, status: string }[]} present
 */
export function plainGuardHooks(present) {
  const kept = new Map();
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (tool !== "todowrite") return;
      const left = plainGuard(present(sessionID), args.todos);
      args.todos.push(...left);
      if (left.length > 0) kept.set(callID, left.length);
    },
    "tool.execute.after": async ({ callID }, output) => {
      if (kept.has(callID)) output.output += `\n\nKept ${kept.get(callID)}.`;
      kept.delete(callID);
    },
  };
}

/** Counts the texts of one side, then crosses off those of the other; twice. */
function plainGuard(old, sent) {
  const unfinished = old.filter(({ status }) => status === "pending" || status === "in_progress");
  const same = (text) => text;
  const folded = (text) => text.trim().replace(/\s+/g, " ").toLowerCase();
  let left = { old: unfinished, sent };
  for (const key of [same, folded]) left = withoutPairs(left, key);
  return left.old;
}

function withoutPairs({ old, sent }, key) {
  const byText = new Map();
  for (const todo of sent) {
    const text = key(todo.content);
    byText.set(text, [...(byText.get(text) ?? []), todo]);
  }
  const paired = new Set();
  const rest = old.filter(({ content }) => {
    const match = byText.get(key(content))?.pop();
    paired.add(match);
    return match === undefined;
  });
  return { old: rest, sent: sent.filter((todo) => !paired.has(todo)) };
}

const PLACES = [
  "parser",
  "lexer",
  "printer",
  "login page",
  "cache",
  "router",
  "scheduler",
  "logger",
];
const nameOf = (at) => `${PLACES[at % PLACES.length]} ${Math.floor(at / PLACES.length) + 1}`;
const task = (at) => `Write tests for the ${nameOf(at)}`;
const reworded = (at) => `- [ ] Write the tests for ${nameOf(at)}.`;

function listOf(text) {
  const todo = (_, at) => ({ content: text(at), status: "pending", priority: "medium" });
  return Array.from({ length: COUNT }, todo);
}
