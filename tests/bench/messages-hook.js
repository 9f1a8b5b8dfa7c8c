// What the hook of every model request costs on a long transcript: ours, boundary included, and the same in plain
// JavaScript without any of the core.

import { add } from "../../js/request.js";

const SIZES = [50, 500, 5_000];
const KILOBYTES = 4;
const SESSION = "ses_bench";
const TASK_TOOLS = ["todowrite"];
const AFTER = 8;
const TODOS = Array.from({ length: 10 }, (_, index) => ({
  content: `task ${index + 1} of a list of ordinary length`,
  status: index === 0 ? "in_progress" : "pending",
  priority: "medium",
}));

/**
 * A row for each number of messages: one request after another in a loop that never looks at its list, so that every eighth
 * is nudged.
 * @returns {{ name: string, calls: number, prepare: (hooks: any) => () => unknown }[]}
 */
export function messagesHookCases() {
  return SIZES.map((size) => ({
    name: `messages hook: ${size} messages`,
    calls: 2_000,
    prepare(hooks) {
      const properties = { sessionID: SESSION, todos: TODOS };
      hooks.event({ event: { id: "evt_1", type: "todo.updated", properties } });
      const transcript = transcriptOf(size);
      const { parts } = stepOf(size);
      let count = size;
      return () => {
        count += 1;
        transcript.push({
          info: { ...infoOf(count), role: "assistant", finish: "tool-calls" },
          parts,
        });
        // As long as before, and still with what the person said.
        transcript.splice(1, 1);
        const messages = transcript.slice();
        return hooks["experimental.chat.messages.transform"]({}, { messages });
      };
    },
  }));
}

/** The plain hook. */
export function plainMessagesHook() {
  let sinceNudge = AFTER;
  return {
    "experimental.chat.messages.transform": async (_, { messages }) => {
      sinceNudge += 1;
      if (plain(messages, sinceNudge < AFTER)) sinceNudge = 0;
    },
  };
}

/** What a person said, and one request of the loop after another. */
function transcriptOf(size) {
  const person = {
    info: {
      ...infoOf(0),
      role: "user",
      agent: "build",
      model: { providerID: "scripted", modelID: "one" },
    },
    parts: [{ type: "text", text: "build it ".repeat(100) }],
  };
  return [person, ...Array.from({ length: size - 1 }, (_, index) => stepOf(index + 1))];
}

/** A request with a tool's result of some kilobytes. */
function stepOf(index) {
  return {
    info: { ...infoOf(index), role: "assistant", finish: "tool-calls" },
    parts: [
      { type: "step-start" },
      { type: "text", text: "I look at the next file. ".repeat(20) },
      {
        type: "tool",
        tool: "read",
        callID: `call_${index}`,
        // Differs from message to message, so that no engine shares it.
        state: { status: "completed", input: {}, output: `${index} `.repeat(KILOBYTES * 200) },
      },
      { type: "step-finish", reason: "tool-calls" },
    ],
  };
}

function infoOf(index) {
  const id = `msg_${String(index).padStart(8, "0")}`;
  return { id, sessionID: SESSION, time: { created: index } };
}

/** The same rule in plain JavaScript, without memory: how many requests, backwards, called no task tool. */
function plain(messages, isCooling) {
  let quiet = 0;
  for (let index = messages.length - 1; index >= 0 && quiet < AFTER; index -= 1) {
    const { info, parts } = messages[index];
    if (info.role !== "assistant" || info.error || info.summary || !info.finish) continue;
    const isCall = (part) => TASK_TOOLS.includes(part.tool) && part.state?.status !== "error";
    if (parts.some(isCall)) break;
    quiet += 1;
  }
  if (quiet < AFTER || isCooling) return undefined;
  const lines = TODOS.map(({ status, content }, index) => `${index + 1}. [${status}] ${content}`);
  const text = `<system-reminder>\n${lines.join("\n")}\n</system-reminder>`;
  add(messages, { text, placement: "tail" }, 0);
  return text;
}
