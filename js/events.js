// opencode's events → the core's inputs. An event that is not named here never enters WebAssembly.

import { assistantMessageOf, failureOf, todosOf } from "./shapes.js";

/** @typedef {import("../pkg/todo_keeper.js").Input} Input */

/** The answers under way that call tools, by id. Each leaves it when it is complete. @type {Set<string>} */
const calling = new Set();

/**
 * The input that an event is, or nothing. Called for every event of opencode, a text delta at a time, so what is not needed
 * has to leave by the first switch.
 * @param {any} event
 * @returns {Input | undefined}
 */
export function inputOf({ type, properties }) {
  switch (type) {
    case "session.status":
      return statusOf(properties);
    case "session.idle":
      return { type: "sessionIdle", session: properties.sessionID };
    case "session.error":
      return properties.sessionID && properties.error
        ? {
            type: "sessionFailed",
            session: properties.sessionID,
            error: failureOf(properties.error),
          }
        : undefined;
    case "session.created":
    case "session.updated":
      return properties.info.parentID
        ? { type: "subagentSeen", session: properties.info.id, parent: properties.info.parentID }
        : undefined;
    case "session.deleted":
      return { type: "sessionDeleted", session: properties.info.id };
    case "message.updated":
      return messageUpdateOf(properties.info);
    case "message.part.updated":
      return partUpdateOf(properties.part);
    case "todo.updated":
      return {
        type: "todosUpdated",
        session: properties.sessionID,
        todos: todosOf(properties.todos),
      };
    case "permission.asked":
    case "question.asked":
      return { type: "asked", session: properties.sessionID, ask: properties.id };
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      return { type: "answered", session: properties.sessionID, ask: properties.requestID };
    default:
      return undefined;
  }
}

/**
 * @param {any} properties
 * @returns {Input | undefined}
 */
function statusOf({ sessionID: session, status }) {
  switch (status.type) {
    case "busy":
      return { type: "sessionBusy", session };
    case "retry":
      return { type: "sessionRetrying", session };
    case "idle":
      return { type: "sessionIdle", session };
    default:
      return undefined;
  }
}

/**
 * Only the end of a step says something; user messages come by the `chat.message` hook, with their parts.
 * @param {any} info
 * @returns {Input | undefined}
 */
function messageUpdateOf(info) {
  if (info.role !== "assistant" || !(info.error || info.time?.completed)) return undefined;
  calling.delete(info.id);
  return { type: "assistantMessage", session: info.sessionID, message: assistantMessageOf(info) };
}

/**
 * Thousands of these come in a turn; only the end of a step says something. Its reason alone does not tell whether the turn
 * goes on: some providers stop, and call tools nevertheless. The tools that a provider runs itself are none of opencode's.
 * @param {any} part
 * @returns {Input | undefined}
 */
function partUpdateOf(part) {
  if (part.type === "step-finish") {
    const { sessionID: session, messageID: message, reason } = part;
    return { type: "stepEnded", session, message, reason, hasCalls: calling.has(message) };
  }
  if (part.type === "tool" && part.state.status === "pending" && !part.metadata?.providerExecuted) {
    calling.add(part.messageID);
  }
  return undefined;
}
