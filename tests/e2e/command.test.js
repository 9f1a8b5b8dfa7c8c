// The slash command `/todo-keeper` in the real opencode: what it does, and that the model has no part in it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { delayed, text, todos } from "./model.js";
import { suite } from "./suite.js";

const shared = suite();

/** A session that a person began, with one unfinished todo; the reminder is switched off first, so that nothing comes. */
async function pausedSession() {
  const session = await shared.opencode.session();
  shared.model.play([text("Hello.")]);
  await session.say("hello");
  await give(session, "pause");
  shared.model.play([todos(["write the code", "pending"]), text("Later.")]);
  await session.say("build it");
  await shared.opencode.settled();
  assert.deepEqual(await session.reminders(), []);
  return session;
}

/**
 * Gives a command and returns what was answered: in the session, or in a toast where opencode did not say in time that nothing
 * runs. opencode reports the end of a command as an error.
 */
async function give(session, args = "") {
  const asked = shared.model.requests.length;
  await assert.rejects(session.command("todo-keeper", { arguments: args }), /: 500 /);
  assert.equal(shared.model.requests.length, asked, "the model was asked");
  const last = (await session.messages()).at(-1);
  const written = last.parts.find(({ ignored }) => ignored)?.text;
  if (written !== undefined) return written;
  await shared.opencode.quiet();
  return shared.opencode.toasts.at(-1)?.message;
}

test("opencode lists the command", async () => {
  const commands = await shared.opencode.api("GET", "/command");
  const ours = commands.find(({ name }) => name === "todo-keeper");
  assert.match(ours.description, /status; or pause, resume, orphans/);
});

test("status is answered in the session, and the next request does not carry it", async () => {
  const session = await shared.opencode.session();
  shared.model.play([todos(["write the code", "completed"]), text("Done.")]);
  await session.say("build it");
  assert.match(
    await give(session),
    /^Todos: 1, 0 unfinished\n.*\n.*\nSilent now: no unfinished todos/,
  );
  shared.model.play([text("You are welcome.")]);
  await session.say("thanks");
  assert.doesNotMatch(JSON.stringify(shared.model.requests.at(-1).body), /Silent now/);
});

test("a pause holds across messages and a restart, and resume ends it", async () => {
  const session = await pausedSession();
  await shared.opencode.restart();
  shared.model.play([text("Still later.")]);
  await session.say("and now?");
  await shared.opencode.settled();
  assert.deepEqual(await session.reminders(), []);
  assert.match(await give(session), /Silent now: paused; \/todo-keeper resume ends it/);
  shared.model.play([todos(["write the code", "completed"]), text("Done.")]);
  assert.match(await give(session, "resume"), /Todo reminders go on/);
  await session.reminded(1);
  await shared.opencode.settled();
  assert.equal((await session.reminders()).length, 1);
});

test("a pause leaves what others stored with the session", async () => {
  const session = await shared.opencode.session();
  await session.update({ metadata: { other: { kept: true } } });
  shared.model.play([text("Hello.")]);
  await session.say("hello");
  await give(session, "pause");
  assert.deepEqual((await session.info()).metadata, {
    other: { kept: true },
    "opencode-todo-keeper": { isPaused: true },
  });
});

test("orphans lists what other sessions left", async () => {
  const left = await pausedSession();
  const session = await shared.opencode.session();
  shared.model.play([text("Hello.")]);
  await session.say("hello");
  const report = await give(session, "orphans");
  assert.match(report, new RegExp(`${left.id} - 1 open: .*\n- \\[pending\\] write the code`));
});

test("a command after undo deletes nothing", async () => {
  const session = await shared.opencode.session();
  for (const answer of ["One.", "Two."]) {
    shared.model.play([text(answer)]);
    await session.say("go");
  }
  const before = await session.messages();
  await session.revert(before[2].info.id);
  await assert.rejects(session.command("todo-keeper", { arguments: "" }), /: 500 /);
  await shared.opencode.settled();
  assert.match(shared.opencode.toasts.at(-1).message, /Silent now: messages were undone/);
  assert.equal((await session.messages()).length, before.length);
  await session.unrevert();
  assert.equal((await session.messages()).length, before.length);
});

test("a command before the first message is answered in a toast", async () => {
  const session = await shared.opencode.session();
  await assert.rejects(session.command("todo-keeper", { arguments: "" }), /: 500 /);
  await shared.opencode.quiet();
  assert.match(shared.opencode.toasts.at(-1).message, /^Todos: 0, 0 unfinished/);
});

test("a command during a turn is answered in a toast and does not prolong it", async () => {
  const session = await shared.opencode.session();
  shared.model.play([delayed(600, text("Hello."))]);
  await session.prompt("hello");
  await session.waitFor("session.status", { fits: ({ status }) => status.type === "busy" });
  await assert.rejects(session.command("todo-keeper", { arguments: "" }), /: 500 /);
  await shared.opencode.settled();
  assert.match(shared.opencode.toasts.at(-1).message, /^Todos: 0, 0 unfinished/);
  assert.equal((await session.messages()).length, 2);
});
