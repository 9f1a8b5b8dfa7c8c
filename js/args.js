// Puts todos back into the arguments of a `todowrite` call. opencode runs the very object that the hook was given.

/** @typedef {import("../pkg/todo_keeper.js").Todo} Todo */

/**
 * @param {{ todos: unknown[] }} args
 * @param {Todo[]} kept
 * @returns {boolean} whether they are in; what is frozen can take nothing
 */
export function append(args, kept) {
  if (kept.length === 0) return true;
  const wanted = args.todos.length + kept.length;
  for (const attempt of [
    () => args.todos.push(...kept),
    () => {
      args.todos = [...args.todos, ...kept];
    },
  ]) {
    try {
      attempt();
    } catch {
      // The other way may be open.
    }
    if (args.todos.length === wanted) return true;
  }
  return false;
}
