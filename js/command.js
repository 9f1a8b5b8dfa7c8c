// The slash command `/todo-keeper`: how opencode is told of it, and how it is answered without the model.

/** The command's name, as a person types it behind the slash. */
const NAME = "todo-keeper";

/** What the model would be told if the plugin did not answer, and how the command is known for this plugin's. */
const TEMPLATE =
  "The plugin opencode-todo-keeper should have answered /todo-keeper, and did not. Say so, and do nothing else.";

const DESCRIPTION = "Todo reminders of this session: status; or pause, resume, orphans";

/** The most milliseconds that a command waits for its answer. */
const LONGEST_WAIT = 10_000;

/**
 * Adds the command to opencode's config, unless there is one of that name.
 * @param {any} config
 */
export function addCommand(config) {
  config.command ??= {};
  config.command[NAME] ??= { description: DESCRIPTION, template: TEMPLATE };
}

/**
 * Whether a command is this plugin's: the person may have another one of the name.
 * @param {any} input what the hook is given
 * @param {any} output
 */
export function isOurs({ command }, { parts }) {
  return (
    command === NAME && parts.some((/** @type {any} */ { text }) => text?.startsWith(TEMPLATE))
  );
}

/**
 * Ends a command whose answer is under way. opencode has no other way to keep the model out of it than an error, of which
 * its terminal shows nothing.
 * @param {Promise<unknown> | undefined} answer
 * @param {Pick<typeof import("./keeper.js").SYSTEM_CLOCK, "setTimer" | "clearTimer">} clock
 * @returns {Promise<never>}
 */
export async function endCommand(answer, clock) {
  await new Promise((resolve) => {
    const timer = clock.setTimer(() => resolve(undefined), LONGEST_WAIT);
    Promise.resolve(answer).finally(() => {
      clock.clearTimer(timer);
      resolve(undefined);
    });
  });
  throw new Error("opencode-todo-keeper answered the command; the model has nothing to do");
}
