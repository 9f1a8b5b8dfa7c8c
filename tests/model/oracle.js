// What a reminder must never do, held against what the host knows. Only what is certain is demanded: where the core may have
// lost its memory, what is stored in the session's messages counts.

import { MARK } from "../js/host.js";

const FINISHED = ["completed", "cancelled"];

/** The commands of one session that may wait for the host at a time. */
const MOST_COMMANDS = 8;

export class Oracle {
  /** What was wrong, in the order in which it was found. */
  faults = [];
  /** How many reminders were sent. */
  count = 0;
  #options;
  #host;
  /** By session. */
  #known = new Map();

  /**
   * @param {{ maxAutoSubmitsPerTodo: number, maxRemindersPerMessage: number }} options
   * @param {import("./host.js").Host} host
   */
  constructor(options, host) {
    this.#options = options;
    this.#host = host;
  }

  #of({ id }) {
    let known = this.#known.get(id);
    if (!known) {
      known = {
        person: undefined,
        /** Why nothing may be sent: by which message, if that is known, and whether the messages tell it. */
        failure: undefined,
        isRetryHeard: false,
        isOff: false,
        commands: 0,
        resumes: 0,
        /** The reminder that the host was given and whose turn is not over. */
        underWay: undefined,
        /** Since the person spoke, and since the list changed. */
        sent: [],
        same: [],
        list: "",
        /** Whether the working copy was told that it is a subagent's, and that it runs. */
        isSubagent: false,
        isSubagentRunning: false,
      };
      this.#known.set(id, known);
    }
    return known;
  }

  created(session) {
    this.#of(session).isSubagent = Boolean(session.info.parentID);
  }

  /** The plugin sends a reminder. */
  prompted(session, { body }) {
    const fault = (what) => this.faults.push(`a reminder ${what}`);
    this.count += 1;
    if (this.#host.copies.length === 0) fault("after dispose");
    if (!session) {
      fault("to no session");
      return undefined;
    }
    const known = this.#of(session);
    const prompt = { session, number: body.parts[0].metadata[MARK].reminder, isBusy: false };
    if (session.isGone) fault("to a deleted session");
    if (session.info.parentID) fault("to a subagent");
    if (session.status !== "idle") fault("while a turn is running");
    // One who has just asked for reminders may get one before opencode says that it stored it.
    if (known.isOff && known.resumes === 0) fault("although the person paused the session");
    if (known.failure && !known.failure.isOvertaken) fault(`after ${known.failure.what}`);
    if (known.underWay) fault("while another one is under way");
    if (session.todos.every(({ status }) => FINISHED.includes(status))) fault("of nothing");
    if (this.#host.sessions.some((other) => this.#isDescendantRunning(other, session)))
      fault("while a subagent works");
    if (!known.person) fault("as nobody");
    else if (known.person.agent !== body.agent) fault("as somebody else");
    if (body.agent === "plan") fault("to an agent that is to be skipped");
    known.underWay = prompt;
    known.sent.push(prompt);
    known.same.push(prompt);
    const { maxAutoSubmitsPerTodo, maxRemindersPerMessage } = this.#options;
    if (known.sent.length > maxRemindersPerMessage) fault("beyond maxRemindersPerMessage");
    if (known.same.length > maxAutoSubmitsPerTodo) fault("beyond maxAutoSubmitsPerTodo");
    return prompt;
  }

  #isDescendantRunning(session, root) {
    if (session.isGone || !this.#of(session).isSubagentRunning) return false;
    for (let id = session.info.parentID; id; ) {
      if (id === root.id) return true;
      const above = this.#host.sessions.find((other) => other.id === id);
      id = above && !above.isGone && above.info.parentID;
    }
    return false;
  }

  /** The host has it: it will be found in the session's messages. */
  took(prompt) {
    prompt.isTaken = true;
  }

  /** The host did not do what it was asked to, or may not say in time that it did. */
  refused(session, method, prompt) {
    if (!session) return;
    const known = this.#of(session);
    if (method === "session.get" || method === "session.update") {
      known.isOff &&= isStoredAsPaused(session);
      return;
    }
    if (!prompt) return;
    if (known.underWay === prompt) known.underWay = undefined;
    // After a word of the person nobody asks any more what became of it.
    if (known.sent.includes(prompt))
      known.failure ??= { what: "one that was refused", isOvertaken: known.resumes > 0 };
  }

  /** Somebody's message is about to be stored. */
  spoke(session, info, parts) {
    const isReal = parts.some(({ synthetic, metadata }) => !synthetic && !metadata?.[MARK]);
    if (!isReal) return;
    const known = this.#of(session);
    Object.assign(known, { person: info, failure: undefined, underWay: undefined });
    this.#renew(known);
  }

  #renew(known) {
    known.sent = [];
    known.same = [];
  }

  listed(session) {
    const known = this.#of(session);
    const list = JSON.stringify(session.todos);
    if (list !== known.list) known.same = [];
    known.list = list;
  }

  busy(session) {
    const known = this.#of(session);
    known.isSubagentRunning = known.isSubagent;
    known.isRetryHeard = false;
    if (known.underWay) known.underWay.isBusy = true;
  }

  idle(session) {
    const known = this.#of(session);
    known.isSubagentRunning = false;
    if (known.underWay?.isBusy) known.underWay = undefined;
  }

  /** An answer ended well: that to a queued message ends the pause of an error of the one before. */
  answered(session, { id }) {
    const known = this.#of(session);
    const { by } = known.failure ?? {};
    if (by && by < known.person?.id && known.person.id < id) known.failure = undefined;
  }

  /** An error of an answer (or of the session, when none is named), or an answer that ended on a no or was cut. */
  failed(session, info, isEnding) {
    const known = this.#of(session);
    const what = info?.error?.name ?? info?.finish ?? "an error of the session";
    const isOlder = info && known.person && info.id < known.person.id;
    if (isOlder && what !== "MessageAbortedError") return;
    const by = isEnding ? undefined : info?.id;
    const before = known.failure;
    const latest = before && !(before.by && by) ? undefined : [before?.by, by].sort().at(-1);
    const isOvertaken = known.resumes > 0;
    known.failure = { what, by: before ? latest : by, isOvertaken };
  }

  /** The event of an error that comes after the session went on. */
  failedLate(session, info) {
    this.failed(session, info, false);
  }

  retries(session) {
    const known = this.#of(session);
    known.isRetryHeard = true;
    if (known.underWay) known.underWay.isBusy = true;
  }

  stoppedRetry(session) {
    const known = this.#of(session);
    if (known.isRetryHeard)
      known.failure ??= { what: "an abort while retrying", isOvertaken: known.resumes > 0 };
  }

  deleted(session) {
    this.#known.delete(session.id);
  }

  commanded(session, word) {
    const known = this.#of(session);
    known.commands += 1;
    const isTaken = known.commands < MOST_COMMANDS && this.#host.copies.length > 0;
    if (word === "resume") known.resumes += 1;
    if (word === "pause" && isTaken && !session.isGone) known.isOff = true;
  }

  /** The command was answered, in whatever way. */
  answeredCommand(session, word) {
    if (word === "resume") this.#of(session).resumes -= 1;
  }

  /** The switch was stored with the session. */
  stored(session) {
    if (isStoredAsPaused(session)) return;
    const known = this.#of(session);
    Object.assign(known, { isOff: false, failure: undefined });
    this.#renew(known);
  }

  /** The core lost its memory. */
  forgot() {
    for (const session of this.#host.sessions) {
      const known = this.#of(session);
      const { messages } = session;
      const at = messages.findLastIndex(({ info }) => info === known.person);
      const since = messages.slice(at + 1).map(({ info }) => info);
      const isEnding = ({ error, finish }, index) =>
        error ||
        ((finish === "tool-calls" || finish === "length") &&
          since[index + 1]?.role !== "assistant");
      const failed = since.find(isEnding);
      known.failure &&= failed && { what: `${failed.error?.name ?? failed.finish}, as stored` };
      const numbers = new Set();
      const isCounted = ({ isTaken, number }) =>
        isTaken && !numbers.has(number) && numbers.add(number);
      known.sent = known.sent.filter(isCounted);
      known.same = known.same.filter((prompt) => known.sent.includes(prompt));
      known.isOff = isStoredAsPaused(session);
      known.isRetryHeard = false;
      known.isSubagent = false;
      known.isSubagentRunning = false;
      known.underWay = undefined;
    }
  }
}

const isStoredAsPaused = ({ info }) => info.metadata?.[MARK]?.isPaused === true;
