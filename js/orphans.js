// Other sessions' todos: asked for a few at a time, and for a limited time. Whose are wanted is the core's to decide.

/** @typedef {import("../pkg/todo_keeper.js").OtherSession} OtherSession */

/** How many sessions are asked about at the same time. */
const AT_A_TIME = 8;

/** The most milliseconds that all of it may take; the core waits a little longer for a reminder's. */
const TIMEOUT = 2_000;

/** What the model is told of the tool `todo_orphans`. */
export const TOOL_DESCRIPTION = `Lists the unfinished todos that other sessions of this directory left behind, session by session.
Use it only when the user asks for unfinished work of earlier sessions, for example to go on with it or to take it over. Do not use it
on your own initiative: those todos belong to other sessions and are not part of this session's todo list.`;

/** What the model is told when the tool failed. */
export const TOOL_FAILED = "It could not be found out; tell the user so.";

/**
 * The sessions that `choose` picks, with their todos, in its order. Nothing in `found` when the host did not name its
 * sessions; `isPartial` when some of them were not answered for, or not in time.
 * @param {import("./host.js").Host} host
 * @param {(sessions: OtherSession[], active: string[]) => Iterable<number> | undefined} choose answers with places in the list
 * @param {Pick<typeof import("./keeper.js").SYSTEM_CLOCK, "setTimer" | "clearTimer">} clock
 * @param {() => boolean} isWanted whether to go on asking
 * @returns {Promise<{ found: OtherSession[] | undefined, isPartial: boolean }>}
 */
export async function scan(host, choose, clock, isWanted) {
  /** @type {(OtherSession | undefined)[] | undefined} */
  let answers;
  let isOver = false;

  async function ask() {
    const [sessions, active] = await Promise.all([host.sessions(), host.active()]);
    const places = !isOver && isWanted() && sessions && active && choose(sessions, active);
    if (!places) return;
    const chosen = [...places].flatMap((place) => sessions[place] ?? []);
    const answered = chosen.map(() => /** @type {OtherSession | undefined} */ (undefined));
    answers = answered;
    const rest = chosen.entries();
    const askOneByOne = async () => {
      for (const [at, other] of rest) {
        const todos = await host.todosElsewhere(other.session, TIMEOUT);
        if (isOver || !isWanted()) return;
        answered[at] = todos && { ...other, todos };
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, askOneByOne));
  }

  await new Promise((resolve) => {
    const timer = clock.setTimer(() => resolve(undefined), TIMEOUT);
    ask()
      .catch(() => undefined)
      .finally(() => {
        clock.clearTimer(timer);
        resolve(undefined);
      });
  });
  isOver = true;
  const found = answers?.filter((answer) => answer !== undefined);
  return { found, isPartial: found?.length !== answers?.length };
}
