// The plugin named twice, by two paths: in the global and in the project's config. Both copies are loaded; they act as one.

import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { call, plainText, startModel, text, todos } from "./model.js";
import { startOpencode } from "./opencode.js";
import { packedPlugin } from "./package.js";
import { IDLE_DELAY_MS } from "./suite.js";

const OPTIONS = { idleDelayMs: IDLE_DELAY_MS, maxAutoSubmitsPerTodo: 1 };

/** A server of its own for two copies; `setup` says where each is named. */
function copies(setup) {
  const shared = {};
  before(async () => {
    shared.model = await startModel();
    const first = await packedPlugin();
    shared.folder = await mkdtemp(path.join(tmpdir(), "todo-keeper-copies-"));
    const second = path.join(shared.folder, "second");
    await cp(first, second, { recursive: true });
    const { model, folder } = shared;
    shared.opencode = await startOpencode({ model, ...(await setup({ first, second, folder })) });
  });
  beforeEach(() => shared.model.play([]));
  afterEach(async () => {
    await shared.opencode.abortAll();
    assert.deepEqual(shared.model.faults, []);
  });
  after(async () => {
    await shared.opencode?.stop();
    await shared.model?.stop();
    if (shared.folder) await rm(shared.folder, { recursive: true });
  });
  return shared;
}

describe("in the global and the project's config", () => {
  const keeper = copies(({ first, second }) => ({
    plugin: [[first, OPTIONS]],
    globalFiles: { "opencode.json": { plugin: [[second, OPTIONS]] } },
  }));

  it("there is one reminder, one toast, and one line of the copy that stands by", async () => {
    keeper.model.play([todos(["write the code", "pending"]), text("Later."), text("Later.")]);
    const session = await keeper.opencode.session();
    await session.say("build it");
    await session.reminded();
    await keeper.opencode.events.until(() => keeper.opencode.toasts.length > 0, { what: "toast" });
    await keeper.opencode.settled();
    assert.equal((await session.reminders()).length, 1);
    assert.equal(keeper.opencode.toasts.length, 1);
    assert.equal(keeper.model.requests.length, 3);
    await keeper.opencode.logged(/another copy of this plugin works in this directory/);
  });

  it("the guard puts a todo back once, and says so once", async () => {
    const session = await keeper.opencode.session();
    await guarded(keeper, session);
  });

  it("without the option there is no tool, and nothing of other sessions", async () => {
    keeper.model.play([todos(["a", "pending"]), text("Later.")]);
    const left = await keeper.opencode.session({ title: "Left" });
    await left.say("plan it", { agent: "plan" });
    keeper.model.play([todos(["b", "pending"]), text("Later."), text("Later.")]);
    const session = await keeper.opencode.session();
    await session.say("build it");
    await session.reminded();
    await keeper.opencode.settled();
    const [{ text: wording }] = await session.reminders();
    assert.ok(!wording.includes(left.id) && !wording.includes("other sessions"), wording);
    assert.ok(!keeper.model.requests[0].tools.includes("todo_orphans"));
  });

  it("when opencode loads the directory anew, one of them works again", async () => {
    const { opencode, model } = keeper;
    await opencode.api("POST", "/instance/dispose");
    await opencode.events.disconnect();
    await opencode.events.connect(opencode.url);
    await opencode.api("GET", "/config");
    model.play([todos(["write the code", "pending"]), text("Later."), text("Later.")]);
    const session = await opencode.session();
    await session.say("build it");
    await session.reminded();
    await opencode.settled();
    assert.equal((await session.reminders()).length, 1);
    await guarded(keeper, await opencode.session());
  });
});

describe("when the copy at work goes", () => {
  // The first copy is loaded by a plugin of the test, which disposes it when a session gets a certain title.
  const keeper = copies(async ({ first, second, folder }) => {
    const wrapper = path.join(folder, "first.js");
    await writeFile(
      wrapper,
      `import load from ${JSON.stringify(pathToFileURL(path.join(first, "js", "index.js")).href)};
export default async (input, options) => {
  const hooks = await load(input, options);
  return {
    ...hooks,
    event(received) {
      hooks.event?.(received);
      if (received.event.properties.info?.title === "dispose the first") hooks.dispose();
    },
  };
};
`,
    );
    const options = { ...OPTIONS, warnOrphanedTodos: true };
    return {
      plugin: [
        [wrapper, options],
        [second, options],
      ],
    };
  });

  it("the other one takes over: reminders, toasts, the guard and the tool", async () => {
    await keeper.opencode.logged(/another copy of this plugin works in this directory/);
    for (const isTakenOver of [false, true]) {
      if (isTakenOver) {
        const signal = await keeper.opencode.session();
        await signal.update({ title: "dispose the first" });
        await keeper.opencode.settled();
      }
      const toasts = keeper.opencode.toasts.length;
      keeper.model.play([todos(["write the code", "pending"]), text("Later."), text("Later.")]);
      const session = await keeper.opencode.session();
      await session.say("build it");
      await session.reminded();
      await keeper.opencode.events.until(() => keeper.opencode.toasts.length > toasts, {
        what: "toast",
      });
      await keeper.opencode.settled();
      assert.equal((await session.reminders()).length, 1);
      assert.equal(keeper.opencode.toasts.length, toasts + 1);
      await guarded(keeper, await keeper.opencode.session());
      await asked(keeper, session);
    }
  });
});

/** A model that asks for other sessions' work hears of it. */
async function asked({ model, opencode }, left) {
  model.play([call("todo_orphans", {}), text("That was left.")]);
  const session = await opencode.session();
  await session.say("what was left?");
  await opencode.settled();
  assert.equal(model.requests[0].tools.filter((name) => name === "todo_orphans").length, 1);
  const answer = plainText(model.requests[1].messages.at(-1));
  assert.ok(answer.includes(`${left.id} - 1 open`), answer);
}

/** A model that drops an unfinished todo gets it back, and hears of it once. */
async function guarded({ model, opencode }, session) {
  model.play([
    todos(["write the parser", "pending"], ["write the tests", "pending"]),
    todos(["write the parser", "completed"]),
    text("Done."),
  ]);
  await session.say("plan it", { agent: "plan" });
  await opencode.settled();
  const kept = (await session.todos()).map(({ content }) => content);
  assert.deepEqual(kept, ["write the parser", "write the tests"]);
  const answer = plainText(model.requests[2].messages.at(-1));
  assert.equal(answer.match(/Kept 1 unfinished todo/g)?.length, 1, answer);
}
