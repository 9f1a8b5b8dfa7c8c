// The slash command `/todo-keeper`: how opencode is told of it, what it does, and that the model has no part in it.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  answerWith,
  emptyProject,
  endWithTodos,
  FakeHost,
  hostInView,
  IDLE_DELAY_MS,
  MARK,
  settled,
} from "./host.js";

const ENDED = /answered the command/;

let project;
before(() => {
  project = emptyProject();
});
after(() => project.remove());

/** A session whose reminder is in view. */
const inView = (options) => hostInView(project.folder, options);

/** Gives a command, and sees that the model is kept out of it. */
async function give(host, session, args) {
  const turns = host.of(session).messages.length;
  await assert.rejects(host.command(session, "todo-keeper", args), ENDED);
  const stored = host.of(session).messages.slice(turns);
  assert.deepEqual(
    stored.filter(({ parts }) => parts.some(({ ignored }) => !ignored)),
    [],
    "nothing that the model would be shown",
  );
  return stored.at(-1)?.parts[0].text;
}

describe("/todo-keeper", () => {
  it("is made known to opencode, beside the person's commands", async () => {
    const { host } = await inView();
    const mine = { template: "mine" };
    const config = { command: { mine } };
    await host.hooks.config(config);
    assert.deepEqual(Object.keys(config.command), ["mine", "todo-keeper"]);
    assert.equal(config.command.mine, mine);
    assert.match(config.command["todo-keeper"].description, /pause, resume, orphans/);
    const bare = {};
    await host.hooks.config(bare);
    assert.deepEqual(Object.keys(bare.command), ["todo-keeper"]);
  });

  it("leaves a command alone that the person calls so", async () => {
    const { host, session } = await inView();
    const mine = { template: "Keep $ARGUMENTS" };
    const config = { command: { "todo-keeper": mine } };
    await host.hooks.config(config);
    assert.equal(config.command["todo-keeper"], mine);
    const parts = [{ type: "text", text: "Keep calm" }];
    const input = { command: "todo-keeper", sessionID: session, arguments: "calm" };
    await host.hooks["command.execute.before"](input, { parts });
    assert.deepEqual(parts, [{ type: "text", text: "Keep calm" }]);
    assert.equal(host.requests("session.prompt").length, 0);
  });

  it("leaves every other command alone, and odd input", async () => {
    const { host, session } = await inView();
    const before = host.hooks["command.execute.before"];
    const parts = [{ type: "text", text: "review" }, { type: "file" }, null];
    await before({ command: "review", sessionID: session, arguments: "" }, { parts });
    await before({ command: "todo-keeper", sessionID: session, arguments: "" }, {});
    await before({ command: "todo-keeper", sessionID: session, arguments: "" }, { parts });
    await before(undefined, undefined);
    await host.hooks.config(undefined);
    await host.hooks.config(Object.freeze({}));
    assert.equal(host.calls.filter(({ method }) => method === "session.prompt").length, 0);
  });

  it("answers with the status, as the person, in a part that no model sees", async () => {
    const { host, session } = await inView();
    const text = await give(host, session);
    assert.match(text, /^Todos: 1, 1 unfinished/);
    const [{ body }] = host.requests("session.prompt");
    assert.equal(body.noReply, true);
    assert.equal(body.agent, "build");
    assert.equal(body.parts[0].ignored, true);
    assert.deepEqual(body.parts[0].metadata, { [MARK]: { reminder: 0 } });
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(
      host.requests("session.promptAsync").length,
      1,
      "the reminder in view still comes",
    );
  });

  it("pauses at once, and stores it beside what others stored", async () => {
    const { host, session } = await inView();
    host.of(session).info.metadata = { other: { kept: 1 }, [MARK]: { more: 2 } };
    assert.match(await give(host, session, "pause"), /paused in this session/);
    assert.deepEqual(host.of(session).info.metadata, {
      other: { kept: 1 },
      [MARK]: { more: 2, isPaused: true },
    });
    await host.clock.advance(IDLE_DELAY_MS);
    await endWithTodos(host, session);
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.requests("session.promptAsync").length, 0);
  });

  it("keeps the pause when the plugin is loaded anew, until resume", async () => {
    const { host, session } = await inView();
    await give(host, session, "pause");
    await host.hooks.dispose();
    host.start(project.folder);
    await endWithTodos(host, session);
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.requests("session.promptAsync").length, 0);
    assert.match(await give(host, session, "resume"), /go on in this session/);
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.requests("session.promptAsync").length, 1);
  });

  it("says so when the pause cannot be stored", async () => {
    for (const replaced of [
      { "session.update": undefined },
      {
        "session.update": () =>
          answerWith(undefined, { name: "APIError", data: { message: "no" } }),
      },
      { "session.update": () => Promise.reject(new Error("no")) },
    ]) {
      const host = new FakeHost();
      Object.assign(host.replaced, replaced);
      host.start(project.folder);
      const session = host.session();
      await endWithTodos(host, session);
      assert.match(await give(host, session, "pause"), /did not store it .*nothing was changed/);
    }
  });

  it("keeps the last word when the first one is stored slowly", async () => {
    const { host, session } = await inView();
    const update = host.replaced;
    let isFirst = true;
    update["session.update"] = async ({ path, body }) => {
      if (isFirst) {
        isFirst = false;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      Object.assign(host.of(path.id).info, body);
      return { data: host.of(path.id).info };
    };
    await Promise.all([give(host, session, "pause"), give(host, session, "resume")]);
    assert.equal(host.of(session).info.metadata[MARK].isPaused, false);
  });

  it("answers in a toast while a turn runs, which a message would prolong", async () => {
    const { host, session } = await inView({ useToasts: false });
    host.begin(session);
    await give(host, session, "pause");
    assert.equal(host.requests("session.prompt").length, 0);
    assert.match(host.toasts.at(-1).message, /paused in this session/);
  });

  it("answers in a toast when the answer cannot be written", async () => {
    const { host, session } = await inView();
    host.replaced["session.prompt"] = () => Promise.reject(new Error("no"));
    await give(host, session);
    assert.match(host.toasts.at(-1).message, /^Todos: 1/);
  });

  it("looks at other sessions when it is asked to, whatever the options say", async () => {
    const { host, session } = await inView();
    const other = host.session({
      title: "before",
      directory: project.folder,
      time: { updated: 1 },
    });
    host.of(other).todos = [{ content: "left behind", status: "pending", priority: "low" }];
    assert.match(
      await give(host, session, "orphans"),
      /1 open: "before".*\n- \[pending\] left behind/,
    );
  });

  it("does not say that nothing is left where the options let it look at nothing", async () => {
    const { host, session } = await inView({ orphanScanLimit: 0 });
    const answer = await give(host, session, "orphans");
    assert.match(answer, /the latest 0 other sessions .*orphanScanLimit/);
  });

  it("explains itself when the word is unknown", async () => {
    const { host, session } = await inView();
    await give(host, session, "stop");
    assert.match(host.toasts.at(-1).message, /^Expected \/todo-keeper \(status\)/);
  });

  it("does not wait for ever for a host that does not answer", async () => {
    const { host, session } = await inView();
    host.replaced["session.prompt"] = () => new Promise(() => {});
    const given = assert.rejects(host.command(session, "todo-keeper"), ENDED);
    await settled();
    await host.clock.advance(10_000);
    await given;
  });

  it("is not there when the plugin is switched off, nor after dispose", async () => {
    const host = new FakeHost();
    host.start(project.folder, { enabled: false });
    assert.equal(host.hooks.config, undefined);
    assert.equal(host.hooks["command.execute.before"], undefined);
    const { host: gone, session } = await inView();
    await gone.hooks.dispose();
    const config = {};
    await gone.hooks.config(config);
    assert.deepEqual(config, {});
    const parts = [{ type: "text", text: "x" }];
    await gone.hooks["command.execute.before"](
      { command: "todo-keeper", sessionID: session },
      { parts },
    );
  });
});
