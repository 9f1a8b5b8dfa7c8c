// opencode's objects → what the core wants to know of them. What has not the expected shape is left out; whether that
// matters is the core's to decide.

/** The key of this plugin's mark in a part's `metadata`. */
export const MARK = "opencode-todo-keeper";

/** @typedef {import("../pkg/todo_keeper.js").Failure} Failure */
/** @typedef {import("../pkg/todo_keeper.js").UserMessage} UserMessage */
/** @typedef {import("../pkg/todo_keeper.js").AssistantMessage} AssistantMessage */
/** @typedef {import("../pkg/todo_keeper.js").Message} Message */
/** @typedef {import("../pkg/todo_keeper.js").SessionInfo} SessionInfo */
/** @typedef {import("../pkg/todo_keeper.js").Todo} Todo */

/**
 * An error of opencode, or whatever was thrown: even what cannot be read.
 * @param {any} error
 * @returns {Failure}
 */
export function failureOf(error) {
  try {
    const name = typeof error?.name === "string" ? error.name : "Error";
    const message = error?.data?.message ?? error?.message ?? (typeof error === "string" ? error : "");
    return { name, message: String(message) };
  } catch {
    return { name: "Error", message: "what was thrown cannot be read" };
  }
}

/** @param {unknown} error whatever was thrown */
export function textOf(error) {
  const { name, message } = failureOf(error);
  return `${name}: ${message}`;
}

/**
 * A user message and its parts.
 * @param {any} info
 * @param {any[]} parts
 * @returns {UserMessage}
 */
export function userMessageOf(info, parts) {
  const texts = parts.filter((part) => part?.type === "text");
  const { agent, model, tools, system } = info;
  const { providerID, modelID, variant } = model ?? {};
  const isKnown = agent && providerID && modelID;
  return {
    id: info.id,
    identity: isKnown && { agent, model: { providerID, modelID }, variant, tools, system },
    mark: parts.find((part) => part?.metadata?.[MARK])?.metadata[MARK],
    texts: texts.length,
    syntheticTexts: texts.filter((part) => part.synthetic === true).length,
    isCompaction: parts.some((part) => part?.type === "compaction"),
  };
}

/**
 * An assistant message; with its parts, the lists that it wrote.
 * @param {any} info
 * @param {any[]} [parts]
 * @returns {AssistantMessage}
 */
export function assistantMessageOf(info, parts = []) {
  const written = parts.filter((part) => part?.tool === "todowrite" && part.state?.status === "completed");
  return {
    id: info.id,
    error: info.error && failureOf(info.error),
    finish: info.finish,
    todos: written.map((part) => part.state.input?.todos).filter(Array.isArray),
  };
}

/**
 * A message as `session.messages` gives it.
 * @param {any} message
 * @returns {Message}
 */
export function messageOf({ info, parts }) {
  return info.role === "user"
    ? { role: "user", ...userMessageOf(info, parts) }
    : { role: "assistant", ...assistantMessageOf(info, parts) };
}

/**
 * A session as `session.get` gives it.
 * @param {any} session
 * @returns {SessionInfo}
 */
export function sessionInfoOf(session) {
  return {
    parent: session.parentID,
    isArchived: Boolean(session.time?.archived),
    isReverted: Boolean(session.revert),
    isCompacting: Boolean(session.time?.compacting),
    rules: session.permission ?? [],
  };
}

/**
 * Todos without what the core does not need.
 * @param {any[]} todos
 * @returns {Todo[]}
 */
export function todosOf(todos) {
  return todos.map(({ content, status, priority }) => ({ content, status, priority }));
}
