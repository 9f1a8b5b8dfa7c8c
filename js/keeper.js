// opencode's hooks → the core → the host.

import { append } from "./args.js";
import { addCommand, endCommand, isOurs } from "./command.js";
import { SturdyCore } from "./core.js";
import { inputOf } from "./events.js";
import { Host, optionSources } from "./host.js";
import { scan, TOOL_DESCRIPTION, TOOL_FAILED } from "./orphans.js";
import { add } from "./request.js";
import { isRun } from "./run.js";
import { textOf, userMessageOf } from "./shapes.js";
import { Turns } from "./turns.js";

/** @typedef {import("../pkg/todo_keeper.js").Advice} Advice */
/** @typedef {import("../pkg/todo_keeper.js").Core} Core */
/** @typedef {import("../pkg/todo_keeper.js").Effect} Effect */
/** @typedef {import("../pkg/todo_keeper.js").Input} Input */
/** @typedef {import("../pkg/todo_keeper.js").Step} Step */

/** The longest time that a timer of JavaScript takes, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** opencode's name of the tool that writes the list. */
const TODO_TOOL = "todowrite";

/**
 * Whether this is a call of it, by names that the core can take: what is no text makes it trap.
 * @param {unknown} tool
 * @param {unknown} session
 * @param {unknown} call
 */
const isTodowrite = (tool, session, call) =>
  tool === TODO_TOOL && typeof session === "string" && typeof call === "string";

/** How long a request to the model may be held up, in milliseconds. */
const LONGEST_WAIT = 200;

/** What the person is told when the core is given up. */
const OFF =
  "The plugin opencode-todo-keeper failed three times within a minute and does nothing until opencode starts again. Its log lines say why; please report them.";

/**
 * What a command is answered at which the core trapped, or after it was given up.
 * @type {Extract<Effect, { type: "toast" }>}
 */
const UNANSWERED = {
  type: "toast",
  variant: "error",
  title: "Todo keeper",
  message:
    "The plugin opencode-todo-keeper failed and could not answer the command. opencode's log says why; please report it.",
};

/** Where time comes from; tests bring their own. */
export const SYSTEM_CLOCK = {
  now: Date.now,
  /**
   * @param {() => void} act
   * @param {number} delay
   */
  setTimer(act, delay) {
    return setTimeout(act, delay);
  },
  /** @param {any} timer */
  clearTimer: (timer) => clearTimeout(timer),
};

/**
 * The hooks of the plugin in one directory. None of them throws or rejects, but for the one that ends a command.
 * @param {any} input what opencode gives a plugin
 * @param {unknown} options the options beside the plugin's name in `opencode.json`
 * @param {typeof SYSTEM_CLOCK} clock
 * @param {string[]} argv the command line of opencode
 * @throws when the core cannot be loaded
 */
export function keep(
  { client, directory, worktree },
  options,
  clock = SYSTEM_CLOCK,
  argv = process.argv,
) {
  const host = new Host(client, directory);
  const sources = optionSources({ directory, worktree }, options, process.env);
  const core = new SturdyCore(sources, sayTrap, clock.now, isRun(argv));
  /** @type {any} */
  let timer;
  let isDisposed = false;
  const turns = new Turns(clock);

  /**
   * @param {(core: Core) => Step} act
   * @returns {Promise<unknown> | undefined} done when all is done that came of it; nothing when nothing came
   */
  function step(act) {
    const next = core.call(act);
    if (!next) return undefined;
    arm(next.wakeAt);
    return next.effects.length > 0 ? Promise.all(next.effects.map(perform)) : undefined;
  }

  /** @param {Input} input */
  function handle(input) {
    return isDisposed ? undefined : step((core) => core.handle(input, clock.now()));
  }

  /** @param {number | null} wakeAt */
  function arm(wakeAt) {
    clock.clearTimer(timer);
    timer = undefined;
    if (wakeAt === null) return;
    const delay = Math.min(Math.max(wakeAt - clock.now(), 0), LONGEST_TIMER);
    timer = clock.setTimer(
      guarded(() => handle({ type: "wake" })),
      delay,
    );
    // A reminder in view must not keep a process alive that is about to end; a request that is held up must.
    timer?.unref?.();
  }

  /**
   * What is to be added to a request, when the host had a moment to tell what the core wanted to know.
   * @param {(core: Core) => Advice | undefined} ask
   */
  async function advice(ask) {
    const first = core.call(ask);
    if (!first) return undefined;
    const answers = Promise.all(first.effects.map(perform));
    if (!first.isOpen) return first.addition;
    await new Promise((resolve) => {
      const timer = clock.setTimer(() => resolve(undefined), LONGEST_WAIT);
      answers.then(resolve).finally(() => clock.clearTimer(timer));
    });
    const second = core.call(ask);
    second?.effects.forEach(perform);
    return second?.addition;
  }

  /**
   * Carries out an effect; the promise is done when its answer was taken in.
   * @param {Effect} effect
   * @returns {Promise<unknown>}
   */
  function perform(effect) {
    // A core that was rebuilt meanwhile counts its requests anew, and would take the answer for another one's.
    const { age } = core;
    const answer = guarded((/** @type {Input} */ input) =>
      core.age === age ? handle(input) : undefined,
    );
    switch (effect.type) {
      case "fetch": {
        const { request, session } = effect;
        return host.fetch(effect).then(({ snapshot, parents }) => {
          for (const [child, parent] of parents)
            answer({ type: "subagentSeen", session: child, parent });
          return answer({ type: "fetched", request, session, snapshot });
        });
      }
      case "scan": {
        const { request, session } = effect;
        return orphansFor(session, effect.isReport)
          .catch(() => undefined)
          .then((table) => answer({ type: "scanned", request, session, table }));
      }
      case "prompt": {
        const { request, session } = effect;
        return host
          .prompt(effect)
          .then((error) => answer({ type: "prompted", request, session, error }));
      }
      case "remember": {
        const { request, session } = effect;
        return host
          .remember(effect)
          .then((error) => answer({ type: "remembered", request, session, error }));
      }
      case "answer":
        return host.answer(effect);
      case "unsend":
        return host.unsend(effect);
      case "toast":
        return host.toast(effect);
      case "log":
        return host.log(effect);
    }
  }

  /**
   * What is to be said of the other sessions' todos, if they could be found out.
   * @param {string} session the one that asks
   * @param {boolean} isReport
   */
  async function orphansFor(session, isReport) {
    /** @type {Parameters<typeof scan>[1]} */
    const choose = (sessions, active) =>
      core.call((core) => core.orphanCandidates(sessions, active, String(session)));
    const { found, isPartial } = await scan(host, choose, clock, () => !isDisposed);
    return core.call((core) => core.orphanText(found, isPartial, clock.now(), isReport));
  }

  /**
   * The same act, but what it throws goes to the log.
   * @template {any[]} A
   * @template R
   * @param {(...args: A) => R} act
   * @returns {(...args: A) => R | undefined}
   */
  function guarded(act) {
    return (...args) => {
      try {
        return act(...args);
      } catch (error) {
        host.sayOnce("error", `an input was dropped: ${textOf(error)}`);
        return undefined;
      }
    };
  }

  /**
   * The same for an act that opencode waits for.
   * @template {any[]} A
   * @param {(...args: A) => Promise<void>} act
   * @returns {(...args: A) => Promise<void>}
   */
  function guardedAsync(act) {
    return async (...args) => {
      try {
        if (!isDisposed) await act(...args);
      } catch (error) {
        host.sayOnce("error", `a hook did nothing: ${textOf(error)}`);
      }
    };
  }

  /**
   * @param {unknown} error
   * @param {boolean} isGivenUp
   */
  function sayTrap(error, isGivenUp) {
    arm(null);
    const next = isGivenUp
      ? "too often within a minute; the plugin does nothing until opencode starts again"
      : "and was rebuilt";
    host.say("warn", `the core trapped ${next}: ${textOf(error)}`);
    if (isGivenUp)
      host.toast({
        type: "toast",
        variant: "error",
        title: "Todo reminders are off",
        message: OFF,
      });
  }

  /** Before and after `todowrite`; nothing at all when the guard is off. */
  function guardHooks() {
    if (!core.call(({ isGuarding }) => isGuarding)) return {};
    return {
      "tool.execute.before": guardedAsync(
        async (/** @type {any} */ { tool, sessionID, callID }, /** @type {any} */ { args }) => {
          if (!isTodowrite(tool, sessionID, callID) || !Array.isArray(args?.todos)) return;
          await turns.begin(sessionID, callID, () => guard(sessionID, callID, args));
        },
      ),
      "tool.execute.after": guardedAsync(
        async (/** @type {any} */ { tool, sessionID, callID }, /** @type {any} */ output) => {
          if (!isTodowrite(tool, sessionID, callID)) return;
          turns.end(sessionID, callID);
          const line = core.call((core) => core.todowriteDone(sessionID, callID));
          if (!line) return;
          if (typeof output.output === "string") output.output = `${output.output}\n\n${line}`;
          else
            host.say("warn", `expected a text as todowrite's answer, could not add to it: ${line}`);
        },
      ),
    };
  }

  /**
   * Puts back what the list of a call leaves out.
   * @param {string} session
   * @param {string} call
   * @param {{ todos: unknown[] }} args
   */
  async function guard(session, call, args) {
    const present = await host.todos(session);
    // A copy: the list itself may throw while it is read, which must not happen inside the core.
    const sent = [...args.todos];
    const guarded = core.call((core) => core.todowrite(session, call, present, sent));
    if (!guarded) return;
    guarded.effects.forEach(perform);
    if (append(args, guarded.kept)) return;
    core.call((core) => core.todowriteRefused(session, call));
  }

  /** The tool for a person who asks for work of earlier sessions; only when the options ask for such work. */
  function orphanTool() {
    if (!core.call(({ isScanning }) => isScanning)) return {};
    /** @param {unknown} _ @param {any} context */
    const execute = async (_, context) => {
      let answer = TOOL_FAILED;
      await guardedAsync(async () => {
        answer = (await orphansFor(context.sessionID, true)) ?? answer;
      })();
      return answer;
    };
    return { tool: { todo_orphans: { description: TOOL_DESCRIPTION, args: {}, execute } } };
  }

  /** The person's switch; opencode hears of it only when the plugin is to work at all. */
  function commandHooks() {
    if (!core.call(({ isEnabled }) => isEnabled)) return {};
    const isCommand = guarded(isOurs);
    return {
      config: guardedAsync(async (/** @type {any} */ config) => addCommand(config)),
      "command.execute.before": async (/** @type {any} */ input, /** @type {any} */ output) => {
        if (isDisposed || !isCommand(input, output)) return;
        await endCommand(command(input), clock);
      },
    };
  }

  /**
   * Gives the core a command; done when it is answered, if only by a toast that says why not.
   * @param {{ sessionID: string, arguments: string }} given
   */
  async function command({ sessionID, arguments: words }) {
    const { age } = core;
    const give = guarded(() => handle({ type: "command", session: sessionID, arguments: words }));
    const answer = give();
    await answer;
    if (!answer || core.age !== age) await host.toast(UNANSWERED);
  }

  const onEvent = guarded((/** @type {any} */ received) => {
    const input = inputOf(received.event);
    if (input) handle(input);
  });
  const onMessage = guarded((/** @type {any} */ { message, parts }) => {
    handle({
      type: "userMessage",
      session: message.sessionID,
      message: userMessageOf(message, parts),
    });
  });

  guarded(() => step((core) => core.start()))();
  return {
    /** Not awaited by opencode, and called for every event: no promise is made. */
    event: onEvent,
    /** @param {unknown} _ @param {any} output */
    "chat.message": async (_, output) => onMessage(output),
    "experimental.chat.messages.transform": guardedAsync(
      async (/** @type {unknown} */ _, /** @type {any} */ { messages }) => {
        // What throws while the core reads it locks the core, which then has to be rebuilt.
        if (!Array.isArray(messages)) return;
        const addition = await advice((core) => core.request(messages));
        if (addition) add(messages, addition, clock.now());
      },
    ),
    "experimental.session.compacting": guardedAsync(
      async (/** @type {any} */ { sessionID }, /** @type {any} */ { context }) => {
        if (typeof sessionID !== "string") return;
        const addition = await advice((core) => core.compacting(sessionID));
        if (addition) context.push(addition.text);
      },
    ),
    ...guardHooks(),
    ...commandHooks(),
    ...orphanTool(),
    dispose: async () => {
      isDisposed = true;
      arm(null);
      turns.close();
      await host.takenBack;
      if (isRun(argv)) await host.written();
    },
  };
}
