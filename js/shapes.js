// opencode's objects → what the core wants to know of them. What has not the expected shape is left out; whether that
// matters is the core's to decide.

/** The key of this plugin's mark in a part's `metadata`. */
export const MARK = "opencode-todo-keeper";

/** @typedef {import("../pkg/todo_keeper.js").Failure} Failure */
/** @typedef {import("../pkg/todo_keeper.js").Identity} Identity */
/** @typedef {import("../pkg/todo_keeper.js").Mark} Mark */
/** @typedef {import("../pkg/todo_keeper.js").Rule} Rule */
/** @typedef {import("../pkg/todo_keeper.js").UserMessage} UserMessage */
/** @typedef {import("../pkg/todo_keeper.js").AssistantMessage} AssistantMessage */
/** @typedef {import("../pkg/todo_keeper.js").Message} Message */
/** @typedef {import("../pkg/todo_keeper.js").SessionInfo} SessionInfo */
/** @typedef {import("../pkg/todo_keeper.js").OtherSession} OtherSession */
/** @typedef {import("../pkg/todo_keeper.js").Todo} Todo */

/**
 * An error of opencode, or whatever was thrown: even what cannot be read.
 * @param {any} error
 * @returns {Failure}
 */
export function failureOf(error) {
  try {
    const name = typeof error?.name === "string" ? error.name : "Error";
    const message =
      error?.data?.message ?? error?.message ?? (typeof error === "string" ? error : "");
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
 * A user message and its parts. One that cannot be read whole is still one: somebody spoke.
 * @param {any} info
 * @param {any} parts
 * @returns {UserMessage}
 */
export function userMessageOf(info, parts) {
  const known = Array.isArray(parts) ? parts : [];
  const texts = known.filter((part) => part?.type === "text");
  return {
    id: info.id,
    identity: identityOf(info),
    mark: markOf(known.find((part) => part?.metadata?.[MARK])?.metadata[MARK]),
    texts: texts.length,
    syntheticTexts: texts.filter((part) => part.synthetic === true).length,
    isCompaction: known.some((part) => part?.type === "compaction"),
  };
}

/**
 * As whom a user message speaks, or nothing: to speak as half of somebody would be to speak as somebody else.
 * @param {any} info
 * @returns {Identity | undefined}
 */
function identityOf({ agent, model, tools, system }) {
  const { providerID, modelID, variant } = model ?? {};
  const isWhole =
    [agent, providerID, modelID].every((value) => isText(value) && value) &&
    [variant, system].every((value) => isNothing(value) || isText(value)) &&
    (isNothing(tools) || areSwitches(tools));
  return isWhole ? { agent, model: { providerID, modelID }, variant, tools, system } : undefined;
}

/**
 * @param {any} mark
 * @returns {Mark | undefined}
 */
function markOf(mark) {
  const reminder = mark?.reminder;
  return Number.isInteger(reminder) && reminder >= 0 && reminder < 2 ** 32
    ? { reminder }
    : undefined;
}

/**
 * An assistant message; with its parts, the lists that it wrote.
 * @param {any} info
 * @param {any[]} [parts]
 * @returns {AssistantMessage}
 */
export function assistantMessageOf(info, parts = []) {
  const written = parts.filter(
    (part) => part?.tool === "todowrite" && part.state?.status === "completed",
  );
  return {
    id: info.id,
    error: info.error && failureOf(info.error),
    finish: isText(info.finish) ? info.finish : undefined,
    todos: written
      .map((part) => part.state.input?.todos)
      .filter(areTodos)
      .map(todosOf),
  };
}

/**
 * A message as `session.messages` gives it.
 * @param {any} message
 * @returns {Message}
 */
export function messageOf({ info, parts }) {
  if (!isText(info.id)) throw new TypeError("expected a message with an id");
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
  if (!isText(session.id)) throw new TypeError("expected a session with an id");
  return {
    parent: isText(session.parentID) ? session.parentID : undefined,
    isArchived: Boolean(session.time?.archived),
    isReverted: Boolean(session.revert),
    isCompacting: Boolean(session.time?.compacting),
    isPaused: session.metadata?.[MARK]?.isPaused === true,
    rules: rulesOf(session.permission),
  };
}

/**
 * The sessions of a directory as `session.list` gives them; the core leaves out what is malformed.
 * @param {any} sessions
 * @param {string} directory
 * @returns {OtherSession[]}
 */
export function listedOf(sessions, directory) {
  if (!Array.isArray(sessions)) throw new TypeError("expected a list of sessions");
  // An older host may list those of other folders too.
  const isHere = (/** @type {any} */ session) => (session?.directory ?? directory) === directory;
  return sessions.filter(isHere).map((session) => ({
    session: session?.id,
    title: session?.title,
    // NaN when it is not told, which the core takes for malformed.
    touched: Math.floor(session?.time?.updated / 60_000),
    parent: session?.parentID,
    isArchived: Boolean(session?.time?.archived),
  }));
}

/**
 * The ids of the sessions that `session.status` tells of.
 * @param {any} statuses
 * @returns {string[]}
 */
export function activeOf(statuses) {
  if (!isRecord(statuses)) throw new TypeError("expected statuses by session");
  return Object.keys(statuses);
}

/**
 * Agents as `app.agents` gives them.
 * @param {any[]} agents
 * @returns {{ name: string, rules: Rule[] }[]}
 */
export function agentsOf(agents) {
  return agents.map(({ name, permission }) => {
    if (!isText(name)) throw new TypeError("expected agents with names");
    return { name, rules: rulesOf(permission) };
  });
}

/**
 * Permissions; older hosts write them in another form, which says nothing here.
 * @param {any} permission
 * @returns {Rule[]}
 */
function rulesOf(permission) {
  if (!Array.isArray(permission)) return [];
  const fields = ["permission", "pattern", "action"];
  return permission.filter((rule) => fields.every((field) => isText(rule?.[field])));
}

/**
 * Todos without what the core does not need.
 * @param {any} todos
 * @returns {Todo[]}
 */
export function todosOf(todos) {
  if (!areTodos(todos)) throw new TypeError("expected todos with content and status");
  return todos.map(({ content, status, priority }) => ({
    content,
    status,
    priority: isText(priority) ? priority : "",
  }));
}

/**
 * @param {any} todos
 * @returns {todos is any[]}
 */
export function areTodos(todos) {
  return (
    Array.isArray(todos) && todos.every((todo) => isText(todo?.content) && isText(todo.status))
  );
}

/** @param {unknown} tools */
const areSwitches = (tools) =>
  isRecord(tools) && Object.values(tools).every((value) => typeof value === "boolean");

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value @returns {value is undefined | null} */
const isNothing = (value) => value === undefined || value === null;

/** @param {unknown} value @returns {value is string} */
const isText = (value) => typeof value === "string";
