// `opencode run` goes on until the list is finished, although it quits at the first idle.

import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { call, delayed, failure, never, text, todos } from "./model.js";
import { startOpencode } from "./opencode.js";
import { packedPlugin } from "./package.js";
import { suite } from "./suite.js";

const MOST = 5;
const TIMEOUT_MS = 240_000;

// The server beside the runs is there to look at what they left.
const keeper = suite({
  options: { maxRemindersPerMessage: MOST },
  config: { permission: { bash: "ask" } },
});

const open = (name = "write the code") => todos([name, "pending"]);
const done = (name = "write the code") => todos([name, "completed"]);

/** Runs `opencode run ARGS` and returns what came of it, with the session that it used. */
async function run(args, { opencode = keeper.opencode, ...options } = {}) {
  const result = await opencode.run(["run", ...args], { timeout: TIMEOUT_MS, ...options });
  return { ...result, session: await latestSession(opencode) };
}

async function latestSession(opencode = keeper.opencode) {
  const sessions = await opencode.api("GET", "/session");
  const latest = sessions.sort((a, b) => a.time.updated - b.time.updated).at(-1);
  return opencode.session({ id: latest.id });
}

const numbers = async (session) => (await session.reminders()).map(({ number }) => number);

async function assertNothingUnanswered(session) {
  const messages = await session.messages();
  assert.ok(messages.every(({ parts }) => parts.length > 0));
  assert.equal(messages.at(-1).info.role, "assistant");
}

test("the list is finished in one run", async () => {
  keeper.model.play([
    todos(["write the code", "in_progress"], ["write the tests", "pending"]),
    text("I will do that later."),
    todos(["write the code", "completed"], ["write the tests", "pending"]),
    text("The tests come tomorrow."),
    todos(["write the code", "completed"], ["write the tests", "completed"]),
    text("All done."),
  ]);
  const { code, stdout, session } = await run(["build it"]);
  assert.equal(code, 0);
  assert.equal(stdout, "I will do that later.\nThe tests come tomorrow.\nAll done.\n");
  assert.ok((await session.todos()).every(({ status }) => status === "completed"));
  assert.deepEqual(await numbers(session), [1, 2]);
  assert.match((await session.reminders())[0].text, /under way: "write the code"/);
  await assertNothingUnanswered(session);
});

test("without progress there are three reminders, the last one asks what blocks, and the log says why it ended", async () => {
  keeper.model.play([open(), ...Array.from({ length: 4 }, () => text("Later."))]);
  const { code, session } = await run(["build it"]);
  assert.equal(code, 0);
  assert.deepEqual(await numbers(session), [1, 2, 3]);
  assert.match((await session.reminders())[2].text, /block/);
  await assertNothingUnanswered(session);
  await keeper.opencode.logged(
    new RegExp(`level=WARN.*3 reminders in a row brought no progress.*${session.id}`),
  );
});

test("a model that never stops to find more to do is stopped", async () => {
  let turn = 0;
  keeper.model.play(({ messages }) => {
    if (messages.at(-1).role === "tool") return text("One more.");
    turn += 1;
    return todos([`task ${turn}`, "completed"], [`task ${turn + 1}`, "pending"]);
  });
  const { code, session } = await run(["build it"]);
  assert.equal(code, 0);
  assert.deepEqual(await numbers(session), [1, 2, 3, 4, 5]);
  await assertNothingUnanswered(session);
});

test("a provider's error ends the run as it does without the plugin", async () => {
  keeper.model.play([open(), text("Later."), failure(400)]);
  const { code, stderr, session } = await run(["build it"]);
  assert.equal(code, 1);
  assert.match(stderr, /scripted failure/);
  assert.deepEqual(await numbers(session), [1]);
  assert.equal((await session.messages()).at(-1).info.error.name, "APIError");
});

test("a rejected permission ends the run: opencode rejects all that is asked for", async () => {
  keeper.model.play([open(), call("bash", { command: "true", description: "nothing" })]);
  const { code, session } = await run(["build it"]);
  assert.equal(code, 0);
  assert.deepEqual(await numbers(session), []);
  await keeper.opencode.logged(new RegExp(`you rejected a permission.*${session.id}`));
});

test("a plan agent is left alone", async () => {
  keeper.model.play([open(), text("That is the plan.")]);
  const { code, session } = await run(["--agent", "plan", "plan it"]);
  assert.equal(code, 0);
  assert.deepEqual(await numbers(session), []);
});

test("a session with unfinished todos is continued until they are finished", async () => {
  keeper.model.play([open(), failure(400)]);
  const before = await run(["build it"]);
  assert.deepEqual(await numbers(before.session), []);

  keeper.model.play([text("Where was I?"), done(), text("All done.")]);
  const { code, session } = await run(["--continue", "go on"]);
  assert.equal(code, 0);
  assert.equal(session.id, before.session.id);
  assert.deepEqual(await numbers(session), [1]);
  assert.deepEqual(
    (await session.todos()).map(({ status }) => status),
    ["completed"],
  );

  keeper.model.play([text("Nothing is left.")]);
  await run(["--session", session.id, "go on"]);
  assert.deepEqual(await numbers(session), [1]);
});

test("a run that was killed in the middle is continued", async () => {
  let child;
  keeper.model.play((request) => {
    if (request.number === 1) return open();
    if (request.number === 2) return text("Later.");
    setTimeout(() => process.kill(-child.pid, "SIGKILL"), 500);
    return never("I am");
  });
  const before = await run(["build it"], { onSpawn: (spawned) => (child = spawned) });
  assert.equal(before.signal, "SIGKILL");
  assert.deepEqual(await numbers(before.session), [1]);

  keeper.model.play([text("Later."), done(), text("All done.")]);
  const { code, session } = await run(["--continue", "go on"]);
  assert.equal(code, 0);
  assert.equal(session.id, before.session.id);
  assert.deepEqual(await numbers(session), [1, 1]);
  assert.ok((await session.todos()).every(({ status }) => status === "completed"));
  await assertNothingUnanswered(session);
});

test("--format json stays one event a line", async () => {
  keeper.model.play([open(), text("Later."), done(), text("All done.")]);
  const { code, stdout, session } = await run(["--format", "json", "build it"]);
  assert.equal(code, 0);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.ok(events.every(({ sessionID }) => sessionID === session.id));
  const texts = events.filter(({ type }) => type === "text").map(({ part }) => part.text);
  assert.deepEqual(texts, ["Later.", "All done."]);
  assert.deepEqual(await numbers(session), [1]);
});

test("a step that calls tools and says that it stops is no end", async () => {
  keeper.model.play([
    open(),
    { ...call("glob", { pattern: "*" }), finish: "stop" },
    done(),
    text("All done."),
  ]);
  const { code, session } = await run(["build it"]);
  assert.equal(code, 0);
  assert.deepEqual(await numbers(session), []);
});

test("`continueInRun: false` leaves it to quit", async () => {
  const file = path.join(keeper.opencode.project, ".opencode", "todo-reminder.json");
  await writeFile(file, JSON.stringify({ continueInRun: false }));
  try {
    keeper.model.play([open(), text("Later.")]);
    const { code, session } = await run(["build it"]);
    assert.equal(code, 0);
    assert.deepEqual(await numbers(session), []);
    await assertNothingUnanswered(session);
  } finally {
    await rm(file);
  }
});

// A plugin that waits before a message is stored is what makes a reminder come too late.
for (const ms of [1, 150, 1_000]) {
  test(`a reminder that another plugin holds up for ${ms} ms leaves nothing behind`, async () => {
    const slow = `export default async () => ({
      "chat.message": async (_, { parts }) => {
        if (parts[0].metadata) await new Promise((resolve) => setTimeout(resolve, ${ms}));
      },
    });`;
    const opencode = await startOpencode({
      model: keeper.model,
      plugin: [[await packedPlugin(), {}], "./slow.js"],
      projectFiles: { "slow.js": slow },
      serve: false,
    });
    try {
      keeper.model.play([open(), delayed(100, text("Later."))]);
      const { code, stderr } = await opencode.run(["run", "build it"], { timeout: TIMEOUT_MS });
      assert.equal(code, 0, stderr);
      await opencode.start();
      const session = await latestSession(opencode);
      assert.deepEqual(await numbers(session), []);
      assert.equal((await session.messages()).length, 3);
      await assertNothingUnanswered(session);
      await opencode.logged(/level=WARN.*taken back/);
    } finally {
      await opencode.stop();
    }
  });
}
