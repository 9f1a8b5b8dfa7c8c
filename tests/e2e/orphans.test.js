// Work left behind in other sessions: shown in the first reminder, and told when a person asks.

import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { call, never, plainText, text, todos } from "./model.js";
import { MARK } from "./session.js";
import { suite } from "./suite.js";

const keeper = suite({ options: { warnOrphanedTodos: true } });

test("the first reminder shows what other sessions left, but not of those that run or are archived", async () => {
  const older = await leave("Write the docs", ["an index", "pending"], ["a preface", "completed"]);
  const newer = await leave("Fix\n</x> the parser", ["a", "pending"], ["b", "in_progress"]);
  const archived = await leave("Archived work", ["a", "pending"]);
  await archived.update({ time: { archived: Date.now() } });
  const finished = await leave("Finished work", ["a", "completed"]);
  const running = await leave("Running work", ["a", "pending"]);
  keeper.model.play([never("I am at it")]);
  await running.prompt("go on", { agent: "plan" });
  await keeper.opencode.events.until(() => keeper.model.requests.length === 1, {
    what: "the running session's request",
  });

  const session = await remindedSession(2);
  await running.abort();
  await keeper.opencode.settled();

  const [first, second, ...more] = await session.reminders();
  assert.deepEqual(more, []);
  assert.match(first.text, /belong to those sessions and are not part of this list/);
  const rows = first.text.split("\n").filter((line) => line.startsWith("ses_"));
  assert.deepEqual(rows, [
    `${newer.id} - 2 open: "Fix ‹/x› the parser", touched just now`,
    `${older.id} - 1 open: "Write the docs", touched just now`,
  ]);
  assert.ok(!first.text.includes("partial"));
  assert.ok(![archived, finished, running, session].some(({ id }) => first.text.includes(id)));
  assert.ok(!second.text.includes("ses_"), "it is shown once in a session's life");
});

test("a person asks, and the model looks at the work of the last session", async () => {
  const left = await leave("Write the manual", ["an index", "pending"], ["a preface", "completed"]);
  keeper.model.play([call("todo_orphans", {}), text("The index was left.")]);
  const session = await keeper.opencode.session();
  await session.say("what was left in the last session?");
  await keeper.opencode.settled();

  const [first, second] = keeper.model.requests;
  assert.equal(first.tools.filter((name) => name === "todo_orphans").length, 1);
  const { description } = first.body.tools
    .map((tool) => tool.function)
    .find(({ name }) => name === "todo_orphans");
  assert.match(description, /only when the user asks/);
  const answer = plainText(second.messages.at(-1));
  assert.equal(second.messages.at(-1).role, "tool");
  assert.ok(
    answer.includes(
      `${left.id} - 1 open: "Write the manual", touched just now\n- [pending] an index`,
    ),
    answer,
  );
  assert.ok(!answer.includes("a preface"));
  assert.deepEqual(await session.reminders(), []);
});

test("two directories in one server have reminders and left work of their own", async () => {
  const here = await leave("Left here", ["a", "pending"]);
  const other = path.join(keeper.opencode.home, "..", "other");
  await mkdir(other);
  await copyFile(
    path.join(keeper.opencode.project, "opencode.json"),
    path.join(other, "opencode.json"),
  );
  const elsewhere = (method, route, body) =>
    keeper.opencode.api(method, `${route}?directory=${encodeURIComponent(other)}`, body);
  keeper.model.play([
    todos(["write the tests", "pending"]),
    text("Later."),
    todos(["write the tests", "completed"]),
    text("Done."),
  ]);
  const { id } = await elsewhere("POST", "/session", { title: "Elsewhere" });
  await elsewhere("POST", `/session/${id}/prompt_async`, {
    parts: [{ type: "text", text: "build it" }],
  });
  const reminder = await eventually(async () => {
    const messages = await elsewhere("GET", `/session/${id}/message`);
    const parts = messages.flatMap(({ parts }) => parts);
    return keeper.model.requests.length >= 4 && parts.filter((part) => part.metadata?.[MARK]);
  });
  assert.equal(reminder.length, 1);
  assert.ok(!reminder[0].text.includes("ses_"), reminder[0].text);

  keeper.model.play([todos(["left elsewhere", "pending"]), text("Later.")]);
  const { id: left } = await elsewhere("POST", "/session", { title: "Left elsewhere" });
  await elsewhere("POST", `/session/${left}/prompt_async`, {
    agent: "plan",
    parts: [{ type: "text", text: "plan it" }],
  });
  await eventually(() => keeper.model.requests.length >= 2);
  const session = await remindedSession();
  await keeper.opencode.settled();
  const [{ text: wording }] = await session.reminders();
  assert.ok(wording.includes(here.id) && !wording.includes(left), wording);
});

/** A session of the plan agent, which is not reminded, with this list. */
async function leave(title, ...list) {
  const session = await keeper.opencode.session({ title });
  keeper.model.play([todos(...list), text("Later.")]);
  await session.say("plan it", { agent: "plan" });
  await keeper.opencode.quiet(50);
  return session;
}

/** A session that got so many reminders before it finished its list. */
async function remindedSession(count = 1) {
  keeper.model.play([
    todos(["write the code", "pending"]),
    ...Array.from({ length: count }, () => text("Later.")),
    todos(["write the code", "completed"]),
    text("All done."),
  ]);
  const session = await keeper.opencode.session({ title: "Own work" });
  await session.say("build it");
  await session.reminded(count);
  await session.idle({ from: keeper.opencode.events.all.length });
  return session;
}

async function eventually(ask) {
  const giveUpAt = Date.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > giveUpAt) throw new Error("it did not come within 20 s");
    await sleep(50);
  }
}
