// Several copies of the plugin in one process, say from the global and the project's config: in each directory one of them works,
// and the others wait for it to go. All that copies of different versions have in common is what is written down here.

/** Whoever changes what is kept under this name gives it another one. */
const KEY = Symbol.for("opencode-todo-keeper.v1");

/**
 * What is kept: the copies of each directory, in the order in which they came. The first one works.
 * @typedef {Map<unknown, { start: () => void }[]>} Registry
 */

/**
 * The hooks of a copy. They are what `start` gives while the copy works, and none but `dispose` while it stands by.
 * @param {unknown} directory
 * @param {() => Record<string, any>} start begins to work
 * @param {() => void} standBy told when another copy works already
 * @returns {Record<string, any>} opencode looks each hook up when it calls it, so that they can come later
 * @throws what `start` throws when it is called at once
 */
export function oneAtWork(directory, start, standBy) {
  /** @type {Record<string, any>} */
  const hooks = {};
  const copy = {
    start() {
      const { dispose, ...own } = start();
      Object.assign(hooks, own, {
        dispose: async () => {
          try {
            await dispose?.();
          } finally {
            leave(directory, copy);
          }
        },
      });
    },
  };
  hooks["dispose"] = async () => leave(directory, copy);
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
 * @param {unknown} directory
 * @param {{ start: () => void }} copy
 * @returns {boolean} whether this copy is to work; where the registry does not work, each one is
 */
function enter(directory, copy) {
  try {
    const known = registry();
    const copies = known.get(directory);
    if (Array.isArray(copies) && typeof copies[0]?.start === "function") {
      copies.push(copy);
      return false;
    }
    known.set(directory, [copy]);
  } catch {
    // What somebody else put there is none of this plugin's business.
  }
  return true;
}

/**
 * The copy goes; when it was the one at work, the next one that can be started is.
 * @param {unknown} directory
 * @param {{ start: () => void }} copy
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
