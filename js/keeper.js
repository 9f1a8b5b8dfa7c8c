// opencode's hooks → the core → the host.

import { SturdyCore } from "./core.js";
import { inputOf } from "./events.js";
import { Host, optionSources } from "./host.js";
import { textOf, userMessageOf } from "./shapes.js";

/** @typedef {import("../pkg/todo_keeper.js").Effect} Effect */
/** @typedef {import("../pkg/todo_keeper.js").Input} Input */
/** @typedef {import("../pkg/todo_keeper.js").Step} Step */

/** The longest time that a timer of JavaScript takes, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Where time comes from; tests bring their own. */
export const SYSTEM_CLOCK = {
  now: Date.now,
  /**
   * @param {() => void} act
   * @param {number} delay
   */
  setTimer(act, delay) {
    const timer = setTimeout(act, delay);
    // A reminder in view must not keep a process alive that is about to end.
    timer.unref?.();
    return timer;
  },
  /** @param {any} timer */
  clearTimer: (timer) => clearTimeout(timer),
};

/**
 * The hooks of the plugin in one directory. None of them throws or rejects.
 * @param {any} input what opencode gives a plugin
 * @param {unknown} options the options beside the plugin's name in `opencode.json`
 * @param {typeof SYSTEM_CLOCK} clock
 * @throws when the core cannot be loaded
 */
export function keep({ client, directory }, options, clock = SYSTEM_CLOCK) {
  const host = new Host(client, directory);
  const core = new SturdyCore(optionSources(directory, options, process.env), sayTrap);
  /** @type {any} */
  let timer;
  let isDisposed = false;

  /** @param {(core: import("../pkg/todo_keeper.js").Core) => Step} act */
  function step(act) {
    const next = core.call(act);
    if (!next) return;
    arm(next.wakeAt);
    next.effects.forEach(perform);
  }

  /** @param {Input} input */
  function handle(input) {
    if (!isDisposed) step((core) => core.handle(input, clock.now()));
  }

  /** @param {number | null} wakeAt */
  function arm(wakeAt) {
    clock.clearTimer(timer);
    timer = undefined;
    if (wakeAt === null) return;
    const delay = Math.min(Math.max(wakeAt - clock.now(), 0), LONGEST_TIMER);
    timer = clock.setTimer(guarded(() => handle({ type: "wake" })), delay);
  }

  /** @param {Effect} effect */
  function perform(effect) {
    switch (effect.type) {
      case "fetch": {
        const { request, session } = effect;
        const answer = guarded((snapshot) => handle({ type: "fetched", request, session, snapshot }));
        host.fetch(effect).then(answer);
        return;
      }
      case "prompt": {
        const { request, session } = effect;
        const answer = guarded((error) => handle({ type: "prompted", request, session, error }));
        host.prompt(effect).then(answer);
        return;
      }
      case "toast":
        host.toast(effect);
        return;
      case "log":
        host.log(effect);
        return;
    }
  }

  /**
   * The same act, but what it throws goes to the log.
   * @template {any[]} A
   * @param {(...args: A) => void} act
   * @returns {(...args: A) => void}
   */
  function guarded(act) {
    return (...args) => {
      try {
        act(...args);
      } catch (error) {
        host.sayOnce("error", `an input was dropped: ${textOf(error)}`);
      }
    };
  }

  /** @param {unknown} error */
  function sayTrap(error) {
    arm(null);
    host.say("warn", `the core trapped and was rebuilt: ${textOf(error)}`);
  }

  const onEvent = guarded((/** @type {any} */ received) => {
    const input = inputOf(received.event);
    if (input) handle(input);
  });
  const onMessage = guarded((/** @type {any} */ { message, parts }) => {
    handle({ type: "userMessage", session: message.sessionID, message: userMessageOf(message, parts) });
  });

  guarded(() => step((core) => core.start()))();
  return {
    /** Not awaited by opencode, and called for every event: no promise is made. */
    event: onEvent,
    /** @param {unknown} _ @param {any} output */
    "chat.message": async (_, output) => onMessage(output),
    dispose: async () => {
      isDisposed = true;
      arm(null);
    },
  };
}
