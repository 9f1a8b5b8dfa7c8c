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
 * A case for each number of messages. `Core` is the class of the instantiated module.
 *
 * - `quiet`: one request later in a loop, when nothing is due: the usual one
 * - `first`: the first request after a start, which looks further back and asks the host for what is not known
 * - `nudge`: one request later, with the nudge; the latest message of a person is the very first one
 *
 * `run` is what is timed. It gets what `prepare` made, anew for each call, outside of the time. `baseline` does the same as
 * `run` in plain JavaScript, without memory, as most such plugins do it.
 *
 * @param {{ Core: new (sources: any[]) => any }} module
 * @returns {{ name: string, messages: number, prepare: () => any, run: (made: any) => unknown, baseline: (made: any) => unknown }[]}
 */
export function messagesHookCases({ Core }) {
  return SIZES.flatMap((size) => {
    const transcript = transcriptOf(size);
    const one = (name, prepare) => ({
      name: `messages hook, ${size} messages, ${name}`,
      messages: size,
      prepare,
      run: ({ core, messages }) => hook(core, messages),
      baseline: ({ messages, isCooling }) => plain(messages, isCooling),
    });
    const started = (options) => {
      const core = new Core([{ file: "bench", text: JSON.stringify(options) }]);
      core.start();
      core.handle({ type: "todosUpdated", session: SESSION, todos: TODOS }, Date.now());
      hook(core, [...transcript]);
      return core;
    };
    // Shared by the calls of one case: what is timed is a request in the middle of a session's life.
    const quiet = started({ nudge: { afterRequests: 1_000 } });
    const nudging = started({ nudge: { afterRequests: 1, cooldownRequests: 1 } });
    let count = size;
    const oneLater = () => {
      count += 1;
      transcript.push(stepOf(count));
      // As long as before, and still with what the person said.
      transcript.splice(1, 1);
      return [...transcript];
    };
    return [
      one("quiet", () => ({ core: quiet, messages: oneLater(), isCooling: true })),
      one("first", () => ({ core: new Core([]), messages: oneLater(), isCooling: true })),
      one("nudge", () => ({ core: nudging, messages: oneLater(), isCooling: false })),
    ];
  });
}

/** What `js/keeper.js` does when the core wants nothing of the host. */
function hook(core, messages) {
  const advice = core.request(messages);
  if (advice?.addition) add(messages, advice.addition, 0);
  return advice;
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
