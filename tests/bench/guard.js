// The guard on 200 old and 200 new todos, through the boundary; beside it what plain JavaScript does in its place, which knows
// equal texts and texts that are equal but for white space and case, and takes every reworded todo for a lost one.

import { SturdyCore } from "../../js/core.js";

const COUNT = 200;

/**
 * One case for each kind of list. `ours` and `plain` do the work once, each on the same lists, and return how many todos they
 * would put back, which is `expected` for ours.
 * @returns {{ name: string, limitMs: number, expected: number, ours: () => number, plain: () => number }[]}
 */
export function guardCases() {
  const core = new SturdyCore([], (error) => {
    throw error;
  });
  const cases = {
    equal: { old: listOf(task), sent: listOf(task).reverse(), expected: 0 },
    reworded: { old: listOf(task), sent: listOf(reworded), expected: 0 },
    "all similar": {
      old: listOf(() => "Fix login bug"),
      sent: listOf((at) => `Fix the login bug (#${at + 1})`),
      expected: 0,
    },
  };
  return Object.entries(cases).map(([name, { old, sent, expected }]) => ({
    name: `guard: ${COUNT} × ${COUNT} todos, ${name}`,
    limitMs: 1,
    expected,
    ours: () => guard(core, old, sent),
    plain: () => plainGuard(old, sent).length,
  }));
}

/**
 * @param {SturdyCore} core
 * @param {{ content: string, status: string, priority: string }[]} old
 * @param {unknown[]} sent
 */
function guard(core, old, sent) {
  const guarded = core.call((core) => core.todowrite("ses_bench", "call_1", old, sent));
  core.call((core) => core.todowriteDone("ses_bench", "call_1"));
  return guarded?.kept.length ?? -1;
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
