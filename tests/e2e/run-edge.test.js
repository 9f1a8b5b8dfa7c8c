// `opencode run` at its edges: what a model may do that nobody asked for, and who else may be at work.

import assert from "node:assert/strict";
import { test } from "node:test";
import { call, calls, delayed, plainText, text, todo, todos } from "./model.js";
import { sessionOf } from "./session.js";
import { suite } from "./suite.js";

const TIMEOUT_MS = 240_000;

const keeper = suite({
  config: { agent: { general: { permission: { todowrite: "allow" } } } },
});

const open = (name = "write the code") => todos([name, "pending"]);
const done = (name = "write the code") => todos([name, "completed"]);

const runs = (...args) => keeper.opencode.run(["run", ...args], { timeout: TIMEOUT_MS });
const numbers = async (session) => (await session.reminders()).map(({ number }) => number);
const statuses = async (session) => (await session.todos()).map(({ status }) => status);

/** The session in which a person said `prompt`. */
async function sessionWith(prompt) {
  for (const { id } of await keeper.opencode.api("GET", "/session?roots=true")) {
    const session = await keeper.opencode.session({ id });
    const [first] = await session.messages();
    if (first.parts.some((part) => part.text?.includes(prompt))) return session;
  }
  throw new Error(`expected a session in which somebody said ${prompt}, found none`);
}

test("a model that sends nonsense is reminded as any other", async () => {
  keeper.model.play([
    open(),
    call("todowrite", "{nonsense"),
    call("todowrite", { todos: "write the code" }),
    call("todowrite", { todos: [{ status: 7 }, null] }),
    call("no_such_tool", {}),
    text("Hm.", { finish: "end_of_days" }),
    text(""),
    done(),
    text("All done."),
  ]);
  const { code } = await runs("nonsense");
  assert.equal(code, 0);
  const session = await sessionWith("nonsense");
  assert.deepEqual(await numbers(session), [1]);
  assert.deepEqual(await statuses(session), ["completed"]);
});

test("a list that changes with the very last step counts as it is then", async () => {
  const last = (status) => ({ ...todos(["write the code", status]), finish: "stop" });
  keeper.model.play([
    open(),
    { ...last("completed"), content: "All done." },
    last("pending"),
    text("Later."),
    last("completed"),
    text("All done."),
  ]);
  // The second list comes because the step that called a tool is not the last one, whatever it says.
  const { code } = await runs("the last moment");
  assert.equal(code, 0);
  const session = await sessionWith("the last moment");
  assert.deepEqual(await numbers(session), [1]);
  assert.deepEqual(await statuses(session), ["completed"]);
});

test("a parent is reminded once its subagent has ended, and the subagent never", async () => {
  const isChild = ({ messages }) =>
    messages.some((message) => message.role === "user" && plainText(message).includes("CHILD"));
  const scripts = {
    child: [todos(["its own", "pending"]), delayed(500, text("I stopped."))],
    parent: [
      open(),
      call("task", { description: "a part", prompt: "CHILD", subagent_type: "general" }),
      text("Later."),
      done(),
      text("All done."),
    ],
  };
  keeper.model.play((request) => scripts[isChild(request) ? "child" : "parent"].shift());
  const { code } = await runs("delegate it");
  assert.equal(code, 0);
  assert.deepEqual(scripts, { child: [], parent: [] });
  const session = await sessionWith("delegate it");
  const [child] = await session.children();
  assert.deepEqual(await numbers(session), [1]);
  assert.deepEqual(await numbers(child), []);
});

test("two runs in one project finish their own lists", async () => {
  const prompts = ["first of two", "second of two"];
  const scripts = prompts.map((name) => [
    open(name),
    delayed(200, text("Later.")),
    done(name),
    delayed(200, text("All done.")),
  ]);
  keeper.model.play(({ messages }) => {
    const said = messages.map(plainText).join("\n");
    return scripts[prompts.findIndex((prompt) => said.includes(prompt))].shift();
  });
  const ended = await Promise.all(prompts.map((prompt) => runs(prompt)));
  assert.deepEqual(
    ended.map(({ code, stdout }) => [code, stdout]),
    prompts.map(() => [0, "Later.\nAll done.\n"]),
  );
  for (const prompt of prompts) {
    const session = await sessionWith(prompt);
    assert.deepEqual(await numbers(session), [1]);
    assert.deepEqual(
      (await session.todos()).map(({ content, status }) => [content, status]),
      [[prompt, "completed"]],
    );
  }
});

test("several tools in one step, one of which fails, are no end", async () => {
  const list = [todo(["write the code", "completed"])];
  keeper.model.play([
    open(),
    calls(["read", { filePath: "/no/such/file" }], ["todowrite", { todos: list }]),
    text("All done."),
  ]);
  const { code } = await runs("several tools");
  assert.equal(code, 0);
  assert.deepEqual(await numbers(await sessionWith("several tools")), []);
});

test("`run --attach` ends at the first idle, and the server goes on with the list", async () => {
  keeper.model.play([open(), text("Later."), done(), text("All done.")]);
  // What it prints is opencode's own: with `--attach` not even the first turn's last text.
  const { code } = await runs("--attach", keeper.opencode.url, "attach");
  assert.equal(code, 0);
  const session = await sessionWith("attach");
  await session.reminded();
  await keeper.opencode.settled();
  assert.deepEqual(await numbers(session), [1]);
  assert.deepEqual(await statuses(session), ["completed"]);
  const idles = keeper.opencode.events.all.filter(
    (event) => event.type === "session.idle" && sessionOf(event) === session.id,
  );
  assert.equal(idles.length, 2);
});
