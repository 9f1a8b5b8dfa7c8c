// What can happen, as plain values that shrink well. A move that is not possible at its moment does nothing.

import fc from "fast-check";
import { todo } from "../js/host.js";
import { quiet } from "./clock.js";

const LISTS = [
  [todo("a")],
  [todo("a"), todo("b", "in_progress")],
  [todo("a", "completed"), todo("b")],
  [todo("a", "completed"), todo("b", "completed")],
  [todo("c")],
];

/** How a turn may end with an error. */
const FAILURES = ["abort", "abort told by the session", "abort told late", "api", "api told late"];

/** Milliseconds. */
const DELAYS = [500, 500, 500, 200, 1_000, 2_000, 5_000, 10_000, 60_000];

/** Mostly the first one: a rule is broken by what happens to one session. */
const session = fc.constantFrom(0, 0, 0, 1, 2, 3);
const list = fc.constantFrom(0, 1, 2, 4, 3);
const move = (type, rest = {}) => fc.record({ type: fc.constant(type), ...rest });
const inSession = (type, rest = {}) => move(type, { session, ...rest });

/** By how likely they are. */
const MOVES = [
  [14, move("wait", { ms: fc.constantFrom(...DELAYS) })],
  [12, inSession("turn", { list })],
  [6, inSession("end", { finish: fc.constantFrom("stop", "stop", "tool-calls", "length") })],
  [5, inSession("say", { agent: fc.constantFrom("build", "build", "build", "plan") })],
  [5, inSession("write", { list })],
  [5, move("answer", { which: fc.nat(5) })],
  [4, inSession("fail", { how: fc.constantFrom(...FAILURES) })],
  [3, inSession("idle")],
  [3, move("tail")],
  [3, inSession("command", { word: fc.constantFrom("pause", "resume", "", "orphans") })],
  [2, inSession("spawn")],
  [2, inSession("begin")],
  [2, inSession("write by tool", { list })],
  [2, inSession("retry")],
  [2, inSession("stop retry")],
  [1, inSession("ask")],
  [1, inSession("reply")],
  [1, inSession("machine")],
  [1, inSession("answer queued")],
  [1, inSession("request")],
  [1, inSession("compact")],
  [1, inSession("delete")],
  [1, move("create")],
  [1, move("load")],
  [1, move("dispose", { which: fc.nat(2) })],
  [1, move("reload")],
  [1, move("kill")],
  [1, move("trap")],
];

/**
 * Whole cases: the options, how the client's answers come, one after the other, and what happens.
 * @param {string[]} answers how they may come beside at once
 */
export const plansWith = (answers) =>
  fc.record({
    options: fc.record({
      maxAutoSubmitsPerTodo: fc.integer({ min: 1, max: 3 }),
      maxRemindersPerMessage: fc.integer({ min: 1, max: 5 }),
      idleDelayMs: fc.constantFrom(500, 0),
      warnOrphanedTodos: fc.boolean(),
    }),
    answers: fc.array(
      fc.oneof(
        { weight: 30, arbitrary: fc.constant("at once") },
        ...(answers.length > 0 ? [{ weight: 8, arbitrary: fc.constantFrom(...answers) }] : []),
      ),
      { maxLength: answers.length > 0 ? 60 : 0, size: "max" },
    ),
    moves: fc.array(fc.oneof(...MOVES.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
      minLength: 1,
      maxLength: 24,
      size: "max",
    }),
  });

/** A session that is found at an index, whatever there is. */
const at = (host, index) => host.sessions[index % host.sessions.length];

/**
 * @param {import("./host.js").Host} host
 * @param {any} move
 */
export async function make(host, move) {
  await act(host, move);
  await quiet();
}

async function act(host, { type, ...move }) {
  switch (type) {
    case "wait":
      return host.clock.advance(move.ms);
    case "answer":
      return host.late.splice(move.which % (host.late.length || 1), 1)[0]?.();
    case "tail":
      return host.tails.shift()?.();
    case "create":
      return host.sessions.length < 4 ? void host.create() : undefined;
    case "load":
      return host.copies.length < 3 ? host.load() : undefined;
    case "dispose":
      return host.dispose(move.which % (host.copies.length || 1));
    case "reload":
      return host.reload();
    case "kill":
      return host.kill();
    case "trap":
      return host.trapNext();
    default:
      return actIn(host, at(host, move.session), type, move);
  }
}

async function actIn(host, session, type, move) {
  const isIdle = session.status === "idle";
  if (session.isGone) return undefined;
  switch (type) {
    case "turn":
      if (isIdle) await host.say(session);
      host.write(session, LISTS[move.list]);
      return host.end(session, "stop");
    case "say":
      return host.say(session, move.agent);
    case "machine":
      return host.sayAsMachine(session);
    case "spawn":
      return host.sessions.length < 5 && !isIdle ? void host.create(session) : undefined;
    case "delete":
      return host.remove(session);
    case "command":
      return host.command(session, move.word);
    case "idle":
      return isIdle ? host.idle(session) : undefined;
    case "begin":
      // A subagent's session, or a shell command of the person.
      return isIdle && session.info.parentID ? host.say(session) : undefined;
    case "answer queued":
      return isIdle ? host.answerQueued(session) : undefined;
    default:
      return isIdle ? undefined : inTurn(host, session, type, move);
  }
}

function inTurn(host, session, type, move) {
  switch (type) {
    case "end":
      return host.end(session, move.finish);
    case "write":
      return host.write(session, LISTS[move.list]);
    case "write by tool":
      return host.writeByTool(session, LISTS[move.list]);
    case "fail":
      return host.fail(session, move.how);
    case "retry":
      return host.retry(session);
    case "stop retry":
      return session.status === "retry" ? host.stopRetry(session) : undefined;
    case "ask":
      return host.ask(session);
    case "reply":
      return session.asks.length > 0 ? host.reply(session) : undefined;
    case "request":
      return host.request(session);
    case "compact":
      return host.compact(session);
    default:
      throw new Error(`no such move: ${type}`);
  }
}
