// Several copies of the plugin in one process, say from the global and the project's config: in each directory one of them works,
// and the others wait for it to go. All that copies of different versions have in common is what is written down here.

/** Whoever changes what is kept under this name gives it another one. */
const KEY = Symbol.for("opencode-todo-keeper.v1");

/**
 * A copy. `client` is opencode's, the same for all plugins that it loads together; `hooks` are those that it has now.
 * @typedef {{ client: unknown, hooks: Record<string, any>, start: () => void, stop: () => void }} Copy
 */

/**
 * What is kept: the copies of each directory, in the order in which they came. The first one works.
 * @typedef {Map<unknown, Copy[]>} Registry
 */

/**
 * The hooks of a copy. They are what `start` gives while the copy works, and none but `dispose` while it stands by.
 * @param {{ directory: unknown, client: unknown }} input what opencode gives a plugin
 * @param {() => Record<string, any>} start begins to work
 * @param {() => void} standBy told when another copy works already
 * @returns {Record<string, any>} opencode looks each hook up when it calls it, so that they can come later
 * @throws what `start` throws when it is called at once
 */
export function oneAtWork({ directory, client }, start, standBy) {
  /** @type {Record<string, any>} */
  const hooks = {};
  /** @type {() => unknown} */
  let end = () => undefined;
  const copy = {
    client,
    hooks,
    start() {
      const { dispose, tool, ...own } = start();
      end = () => dispose?.();
      Object.assign(hooks, own, tool && { tool: shared(directory, tool) });
    },
    stop: () => void Promise.resolve(end()).catch(() => undefined),
  };
  hooks["dispose"] = async () => {
    try {
      await end();
    } finally {
      leave(directory, copy);
    }
  };
  if (!enter(directory, copy)) {
    standBy();
    return hooks;
  }
  try {
    copy.start();
  } catch (error) {
    leave(directory, copy);
    throw error;
  }
  return hooks;
}

/**
 * The tools of a copy, but whichever copy works answers: opencode looks tools up only once, so that it calls those of a copy
 * that has gone.
 * @param {unknown} directory
 * @param {Record<string, any>} tools
 * @returns {Record<string, any>}
 */
function shared(directory, tools) {
  const ofWorking = (/** @type {string} */ name) => {
    try {
      return registry().get(directory)?.[0]?.hooks["tool"]?.[name]?.own;
    } catch {
      return undefined;
    }
  };
  const entries = Object.entries(tools).map(([name, tool]) => [
    name,
    {
      ...tool,
      own: tool.execute,
      execute: (/** @type {any[]} */ ...args) => {
        const execute = ofWorking(name);
        return (typeof execute === "function" ? execute : tool.execute)(...args);
      },
    },
  ]);
  return Object.fromEntries(entries);
}

/**
 * @param {unknown} directory
 * @param {Copy} copy
 * @returns {boolean} whether this copy is to work; where the registry does not work, each one is
 */
function enter(directory, copy) {
  try {
    const known = registry();
    const copies = known.get(directory);
    const first = Array.isArray(copies) ? copies[0] : undefined;
    if (typeof first?.start === "function" && first.client === copy.client) {
      copies?.push(copy);
      return false;
    }
    known.set(directory, [copy]);
    // opencode loads a directory anew only when what it had loaded there is gone, even if nobody was told.
    first?.stop();
  } catch {
    // What somebody else put there is none of this plugin's business.
  }
  return true;
}

/**
 * The copy goes; when it was the one at work, the next one that can be started is.
 * @param {unknown} directory
 * @param {Copy} copy
 */
function leave(directory, copy) {
  try {
    const copies = registry().get(directory);
    const at = copies?.indexOf(copy) ?? -1;
    if (!copies || at < 0) return;
    copies.splice(at, 1);
    while (at === 0 && copies[0] && !isStarted(copies[0])) copies.shift();
    if (copies.length === 0) registry().delete(directory);
  } catch {
    // As above.
  }
}

/** @param {{ start: () => void }} copy */
function isStarted(copy) {
  try {
    copy.start();
    return true;
  } catch {
    return false;
  }
}

/** @returns {Registry} */
function registry() {
  const shared = /** @type {Record<symbol, unknown>} */ (globalThis);
  if (!(shared[KEY] instanceof Map)) shared[KEY] = new Map();
  return /** @type {Registry} */ (shared[KEY]);
}
