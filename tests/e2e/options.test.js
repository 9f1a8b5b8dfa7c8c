// Where options come from, which one wins, and what a bad one does. Each test has an opencode of its own, because
// options are read when the plugin is loaded.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { failure, startModel, text, todos } from "./model.js";
import { startOpencode } from "./opencode.js";
import { NAME, packedPlugin } from "./package.js";

const PROJECT_FILE = path.join(".opencode", "todo-reminder.json");
const quick = { idleDelayMs: 50 };
let model;
let folder;

before(async () => {
  model = await startModel();
  folder = await packedPlugin();
});

after(() => model?.stop());

/** Starts an opencode, runs `steps` in it and stops it again. */
async function within(setup, steps) {
  model.play([]);
  const opencode = await startOpencode({ model, plugin: [folder], ...setup });
  try {
    await steps(opencode);
    await opencode.settled();
  } finally {
    await opencode.stop();
  }
  assert.deepEqual(model.faults, []);
}

/** A session that stops early with one todo, and finishes it when it is reminded; returns the reminders' texts. */
async function texts(opencode, { count = 1, status = "pending", fields } = {}) {
  const finish = [todos(["write the code", "completed"]), text("Done.")];
  model.play([todos(["write the code", status]), text("Later."), ...(count > 0 ? finish : [])]);
  const session = await opencode.session();
  await session.say("build it", fields);
  if (count > 0) await session.reminded(count);
  await opencode.settled();
  return (await session.reminders()).map((reminder) => reminder.text);
}

test("the options beside the plugin in opencode.json", () =>
  within(
    {
      plugin: [
        [
          folder,
          {
            ...quick,
            messageFormat: "{completed} of {total}, {remaining} left, {pending} pending {x}",
          },
        ],
      ],
    },
    async (opencode) => {
      assert.deepEqual(await texts(opencode), ["0 of 1, 1 left, 1 pending {x}"]);
    },
  ));

test("the project's file, with comments and trailing commas", () => {
  const file =
    '// for this project\n{ "idleDelayMs": 50, /* short */ "inProgressMessageFormat": "finish {current_task}", }\n';
  return within({ projectFiles: { [`${PROJECT_FILE}c`]: file } }, async (opencode) => {
    assert.deepEqual(await texts(opencode, { status: "in_progress" }), ["finish write the code"]);
  });
});

test("the global file in XDG_CONFIG_HOME", () =>
  within(
    {
      env: { XDG_CONFIG_HOME: "{home}/xdg" },
      configFolder: path.join("xdg", "opencode"),
      globalFiles: { "todo-reminder.json": { ...quick, messageFormat: "xdg" } },
    },
    async (opencode) => assert.deepEqual(await texts(opencode), ["xdg"]),
  ));

test("the global file in OPENCODE_CONFIG_DIR", () =>
  within(
    {
      env: { OPENCODE_CONFIG_DIR: "{home}/custom" },
      configFolder: "custom",
      globalFiles: { "todo-reminder.json": { ...quick, messageFormat: "custom" } },
    },
    async (opencode) => assert.deepEqual(await texts(opencode), ["custom"]),
  ));

test("opencode.json wins over the project, the project over the global file, field by field", () =>
  within(
    {
      globalFiles: {
        "todo-reminder.json": {
          messageFormat: "global",
          inProgressMessageFormat: "global",
          syntheticPrompt: true,
        },
      },
      projectFiles: {
        [PROJECT_FILE]: { messageFormat: "project", inProgressMessageFormat: "project" },
      },
      plugin: [[folder, { ...quick, messageFormat: "here" }]],
    },
    async (opencode) => {
      assert.deepEqual(await texts(opencode), ["here"]);
      assert.deepEqual(await texts(opencode, { status: "in_progress" }), ["project"]);
      const sessions = await opencode.api("GET", "/session");
      const reminders = await (await opencode.session({ id: sessions[0].id })).reminders();
      assert.equal(reminders[0].part.synthetic, true);
    },
  ));

test("opencode started in a subfolder: the worktree's root is looked at, the subfolder wins", () =>
  within(
    {
      subfolder: path.join("packages", "one"),
      projectFiles: {
        [PROJECT_FILE]: { ...quick, messageFormat: "root", inProgressMessageFormat: "root" },
        [path.join("packages", PROJECT_FILE)]: { messageFormat: "between" },
        [path.join("packages", "one", PROJECT_FILE)]: { messageFormat: "subfolder" },
      },
    },
    async (opencode) => {
      assert.deepEqual(await texts(opencode), ["subfolder"]);
      assert.deepEqual(await texts(opencode, { status: "in_progress" }), ["root"]);
    },
  ));

test("a bad field falls back alone, and is said once with file, field, what was expected and what was there", () =>
  within(
    {
      globalFiles: { "todo-reminder.json": { maxAutoSubmitsPerTodo: 1 } },
      projectFiles: {
        [PROJECT_FILE]: {
          ...quick,
          maxAutoSubmitsPerTodo: "three",
          mesageFormat: "x",
          messageFormat: "project",
        },
      },
    },
    async (opencode) => {
      model.play([todos(["write the code", "pending"]), text("Later."), text("Later.")]);
      const session = await opencode.session();
      await session.say("build it");
      await session.reminded();
      await opencode.settled();
      const reminders = await session.reminders();
      assert.equal(reminders.length, 1);
      assert.match(reminders[0].text, /^project/);

      model.play([text("Later."), text("Later.")]);
      await session.say("go on");
      await session.reminded(2);
      await opencode.settled();
      const complaints = opencode.toasts
        .map(({ message }) => message)
        .filter((message) => message.includes("todo-reminder.json"));
      const all = complaints.join("\n");
      assert.match(all, /maxAutoSubmitsPerTodo/);
      assert.match(all, /number|integer/);
      assert.match(all, /three/);
      assert.match(all, /mesageFormat.*messageFormat/s);
      assert.equal(all.split("maxAutoSubmitsPerTodo").length, 2);
      assert.match(await opencode.logged(/maxAutoSubmitsPerTodo/), /level=WARN/);
    },
  ));

test("a file that is not JSON leaves the defaults, and is named", () =>
  within(
    { projectFiles: { [PROJECT_FILE]: "{ nonsense" }, plugin: [[folder, quick]] },
    async (opencode) => {
      assert.equal((await texts(opencode)).length, 1);
      const complaints = opencode.toasts.filter(({ message }) =>
        message.includes("todo-reminder.json"),
      );
      assert.equal(complaints.length, 1);
    },
  ));

test("enabled: false", () =>
  within({ plugin: [[folder, { ...quick, enabled: false }]] }, async (opencode) => {
    assert.deepEqual(await texts(opencode, { count: 0 }), []);
  }));

test("maxAutoSubmitsPerTodo, maxRemindersPerMessage and useToasts: false", () =>
  within(
    {
      plugin: [
        [
          folder,
          { ...quick, maxAutoSubmitsPerTodo: 2, maxRemindersPerMessage: 4, useToasts: false },
        ],
      ],
    },
    async (opencode) => {
      model.play([
        todos(["write the code", "pending"]),
        ...Array.from({ length: 3 }, () => text("Later.")),
      ]);
      const stuck = await opencode.session();
      await stuck.say("build it");
      await stuck.reminded(2);
      await opencode.settled();
      assert.equal((await stuck.reminders()).length, 2);

      const names = ["a", "b", "c", "d", "e", "f"];
      const listed = (done) =>
        todos(...names.map((name, index) => [name, index < done ? "completed" : "pending"]));
      model.play([0, 1, 2, 3, 4].flatMap((done) => [listed(done), text("One more.")]));
      const busy = await opencode.session();
      await busy.say("build it");
      await busy.reminded(4);
      await opencode.settled();
      assert.equal((await busy.reminders()).length, 4);

      model.play([todos(["write the code", "pending"]), failure(400)]);
      await (await opencode.session()).say("build it");
      await opencode.settled();
      assert.deepEqual(opencode.toasts, []);
    },
  ));

test("skipAgents, triggerStatuses, syntheticPrompt and debug", () =>
  within(
    {
      plugin: [
        [
          folder,
          {
            ...quick,
            skipAgents: ["build"],
            triggerStatuses: ["in_progress"],
            syntheticPrompt: true,
            debug: true,
          },
        ],
      ],
    },
    async (opencode) => {
      const planned = { fields: { agent: "plan" } };
      assert.deepEqual(await texts(opencode, { count: 0, status: "in_progress" }), []);
      assert.deepEqual(await texts(opencode, { ...planned, count: 0, status: "pending" }), []);
      assert.equal((await texts(opencode, { ...planned, status: "in_progress" })).length, 1);
      assert.ok(existsSync(path.join(opencode.project, ".opencode", "todo-reminder.log")));
    },
  ));

test("the global file, and the plugin by its name alone, as npm would have installed it", () =>
  within(
    {
      plugin: [NAME],
      packages: { [NAME]: folder },
      globalFiles: { "todo-reminder.json": { ...quick, messageFormat: "global" } },
    },
    async (opencode) => assert.deepEqual(await texts(opencode), ["global"]),
  ));
