// Puts todos back into the arguments of a `todowrite` call. opencode runs the very object that the hook was given.

/** @typedef {import("../pkg/todo_keeper.js").Todo} Todo */

/**
 * Adds todos at the end of the list. Never throws, whatever the arguments are.
 * @param {{ todos: unknown[] }} args
 * @param {Todo[]} kept
 * @returns {boolean} whether they are in; what is frozen can take nothing
 */
export function append(args, kept) {
  if (kept.length === 0) return true;
  try {
    // Made before the list is touched, so that half an attempt is not counted as part of it.
    const whole = [...args.todos, ...kept];
    const push = () => args.todos.push(...kept);
    const replace = () => {
      args.todos = whole;
    };
    return takes(args, whole.length, push) || takes(args, whole.length, replace);
  } catch {
    return false;
  }
}

/**
 * @param {{ todos: unknown[] }} args
 * @param {number} length of the list when the attempt went well
 * @param {() => unknown} attempt
 */
function takes(args, length, attempt) {
  try {
    attempt();
  } catch {
    // The other way may be open.
  }
  return args.todos.length === length;
}
