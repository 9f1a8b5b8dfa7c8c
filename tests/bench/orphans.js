// Other sessions' work: 200 sessions of 20 todos on a host that answers in 5 ms, from the call of the tool to its answer; beside
// it one request after another.

import { setTimeout as sleep } from "node:timers/promises";
import { CLIENT } from "./client.js";

const COUNT = 200;
const TODOS = 20;
const ANSWER_MS = 5;
const DIRECTORY = "/project";

const SESSIONS = Array.from({ length: COUNT }, (_, at) => ({
  id: `ses_${at}`,
  title: `Session ${at}`,
  directory: DIRECTORY,
  time: { updated: 1_800_000_000_000 - at * 60_000 },
}));
const LIST = Array.from({ length: TODOS }, (_, at) => ({
  content: `Step ${at}: write the tests for the part that was added before`,
  status: at % 2 ? "completed" : "pending",
  priority: "medium",
}));

const answer = (data) => async () => {
  await sleep(ANSWER_MS);
  return { data };
};
const client = {
  ...CLIENT,
  session: {
    ...CLIENT.session,
    list: answer(SESSIONS),
    status: answer({}),
    todo: answer(LIST),
  },
};

/** Rows of the table. */
export function orphanCases() {
  return [
    {
      name: `${COUNT} other sessions of ${TODOS} todos`,
      calls: 1,
      input: { client, directory: DIRECTORY },
      options: { warnOrphanedTodos: true, orphanScanLimit: COUNT },
      prepare(hooks) {
        const { execute } = hooks.tool.todo_orphans;
        return async () => {
          const text = await execute({}, { sessionID: "ses_own" });
          const found = text.split(" open: ").length - 1;
          if (found !== COUNT) throw new Error(`expected ${COUNT} sessions, found ${found}`);
        };
      },
    },
  ];
}

/**
 * The plain tool: one request after another.
 * @param {any} client
 */
export function plainOrphanHooks(client) {
  const execute = async () => {
    const { data: sessions } = await client.session.list();
    const lines = [];
    for (const { id, title } of sessions) {
      const { data: todos } = await client.session.todo({ path: { id } });
      const open = todos.filter(({ status }) => status === "pending" || status === "in_progress");
      if (open.length === 0) continue;
      lines.push(`${id} - ${open.length} open: ${title}`);
      for (const { status, content } of open) lines.push(`- [${status}] ${content}`);
    }
    return lines.join("\n");
  };
  return { tool: { todo_orphans: { description: "", args: {}, execute } } };
}
