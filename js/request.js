// Adds a text to the messages of one request. opencode makes them anew for each request and stores none of it.

/** @typedef {import("../pkg/todo_keeper.js").Advice} Advice */

/**
 * Adds nothing where there is no user message to speak as.
 * @param {any[]} messages
 * @param {NonNullable<Advice["addition"]>} addition
 * @param {number} now milliseconds since the Unix epoch
 */
export function add(messages, { text, placement }, now) {
  const latest = latestUserMessage(messages);
  if (!latest) return;
  switch (placement) {
    case "tail":
      if (latest === messages.at(-1)) latest.parts.push(partOf(latest.info, text));
      else messages.push(messageAfter(messages.at(-1), latest.info, text, now));
      return;
    case "userMessage": {
      const part = latest.parts.findLast(isSent);
      if (part) part.text = `${part.text}\n\n${text}`;
      else latest.parts.push(partOf(latest.info, text));
      return;
    }
  }
}

/**
 * A loop, because it may have to go back through thousands of messages, which takes `findLast` a millisecond in Node.
 * @param {any[]} messages
 */
function latestUserMessage(messages) {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.info?.role === "user" && Array.isArray(message.parts)) return message;
  }
  return undefined;
}

/** Whether a part is a text that the model is sent: opencode leaves out those that are ignored. @param {any} part */
const isSent = (part) => part?.type === "text" && typeof part.text === "string" && !part.ignored;

/**
 * A user message that follows the last one, as the agent and model of the latest user message.
 * @param {any} last
 * @param {any} user
 * @param {string} text
 * @param {number} now
 */
function messageAfter(last, user, text, now) {
  const { sessionID, agent, model } = user;
  const info = {
    id: `${last?.info?.id ?? user.id}_nudge`,
    sessionID,
    role: "user",
    time: { created: now },
    agent,
    model,
  };
  return { info, parts: [partOf(info, text)] };
}

/**
 * @param {any} info the message that the part belongs to
 * @param {string} text
 */
function partOf({ id, sessionID }, text) {
  return { id: `prt_${id}_nudge`, messageID: id, sessionID, type: "text", text, synthetic: true };
}
