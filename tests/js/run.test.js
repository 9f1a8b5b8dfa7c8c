// What happens inside the turn: under `opencode run`, which ends at the first idle, and wherever the option says so.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isRun } from "../../js/run.js";
import { answerWith, emptyProject, FakeHost, MARK, settled, todo } from "./host.js";

let project;
before(() => {
  project = emptyProject();
});
after(() => project.remove());

describe("opencode run", () => {
  const command = (line) => [
    "bun",
    "/$bunfs/root/src/index.js",
    ...line.split(" ").filter(Boolean),
  ];

  for (const line of [
    "run",
    "run go on",
    "run --continue go",
    "--print-logs run go",
    "--log-level DEBUG run go",
    "--log-level=DEBUG --pure run go",
    "run -- -i",
  ]) {
    it(`is what "${line}" calls`, () => assert.ok(isRun(command(line))));
  }

  for (const line of [
    "",
    "serve",
    "serve --hostname run",
    ".",
    "--prompt run",
    "--model run --agent run",
    "agent run",
    "session list run",
    "web -- run",
    "run -i",
    "run --interactive go",
  ]) {
    it(`is not what "${line}" calls`, () => assert.ok(!isRun(command(line))));
  }
});

/** Inside the turn, in an opencode that does not end with it. */
const EVERYWHERE = { options: { continueInRun: true }, command: ["serve"] };

describe("a reminder inside the turn", () => {
  /** A turn with an open todo, at the last word of its step. */
  async function atTheEnd({ options, command = ["run", "go"], replaced = {} } = {}) {
    const host = new FakeHost();
    host.replaced = replaced;
    host.start(project.folder, options, ...command);
    const session = host.session();
    await host.say(session);
    await settled();
    host.write(session, [todo("write the tests")]);
    host.stop(session);
    return { host, session };
  }

  it("is stored at once, as whom the person was, and starts no turn of its own", async () => {
    const { host, session } = await atTheEnd();
    assert.equal(host.requests("session.promptAsync").length, 0);
    const [{ path, body }, ...more] = host.requests("session.prompt");
    assert.deepEqual(more, []);
    assert.deepEqual(path, { id: session });
    const { parts, ...rest } = body;
    const model = { providerID: "scripted", modelID: "one" };
    assert.deepEqual(rest, { agent: "build", model, noReply: true });
    assert.deepEqual(parts[0].metadata, { [MARK]: { reminder: 1 } });
  });

  it("needs no look at the host when the last word is said", async () => {
    const { host } = await atTheEnd();
    const methods = host.calls.map(({ method }) => method);
    const last = methods.lastIndexOf("session.todo");
    assert.ok(last >= 0 && last < methods.indexOf("session.prompt"), methods.join());
  });

  it("comes everywhere when the option is true, and nowhere when it is false", async () => {
    const everywhere = await atTheEnd(EVERYWHERE);
    assert.equal(everywhere.host.requests("session.prompt").length, 1);
    const nowhere = await atTheEnd({ options: { continueInRun: false } });
    assert.equal(nowhere.host.requests("session.prompt").length, 0);
    const elsewhere = await atTheEnd({ command: ["serve"] });
    assert.equal(elsewhere.host.requests("session.prompt").length, 0);
  });

  it("stays when the turn goes on with it", async () => {
    const { host, session } = await atTheEnd();
    await settled();
    const messages = host.of(session).messages.map((message) => structuredClone(message));
    await host.hooks["experimental.chat.messages.transform"]({}, { messages });
    host.write(session, [todo("write the tests", "completed")]);
    host.end(session);
    await host.hooks.dispose();
    assert.deepEqual(host.requests("delete"), []);
  });

  it("is taken back when the turn ended without it, before opencode ends", async () => {
    const { host, session } = await atTheEnd();
    await settled();
    const stored = host.of(session).messages.at(-1).info;
    host.idle(session);
    await host.hooks.dispose();
    const path = { id: session, messageID: stored.id };
    const url = "/session/{id}/message/{messageID}";
    assert.deepEqual(host.requests("delete"), [{ url, path }]);
    assert.match(host.logged("warn").join(), /taken back/);
  });

  it("is taken back once it is stored when the turn ended before", async () => {
    let store;
    const prompt = () =>
      new Promise((resolve) => {
        store = () => resolve(answerWith({ info: { id: "msg_late" }, parts: [] }));
      });
    const { host, session } = await atTheEnd({ replaced: { "session.prompt": prompt } });
    host.idle(session);
    const disposed = host.hooks.dispose();
    store();
    await disposed;
    assert.deepEqual(
      host.requests("delete").map(({ path }) => path),
      [{ id: session, messageID: "msg_late" }],
    );
  });

  it("comes at idle, without a delay, when it came too late where opencode goes on", async () => {
    const { host, session } = await atTheEnd(EVERYWHERE);
    await settled();
    host.idle(session);
    await host.clock.advance(0);
    assert.equal(host.requests("delete").length, 1);
    const [{ body }] = host.requests("session.promptAsync");
    assert.equal("noReply" in body, false);
    assert.deepEqual(body.parts[0].metadata, { [MARK]: { reminder: 1 } });
  });

  it("is taken back before another one comes, for opencode takes nothing back from a turn that runs", async () => {
    let store;
    const prompt = () =>
      new Promise((resolve) => {
        store = () => resolve(answerWith({ info: { id: "msg_late" }, parts: [] }));
      });
    const replaced = { "session.prompt": prompt };
    const { host, session } = await atTheEnd({ replaced, ...EVERYWHERE });
    host.idle(session);
    await host.clock.advance(0);
    assert.deepEqual(host.requests("session.promptAsync"), []);
    store();
    await settled();
    const methods = host.calls.map(({ method }) => method);
    const taken = methods.indexOf("delete");
    assert.ok(taken >= 0 && taken < methods.indexOf("session.promptAsync"), methods.join());
  });

  it("is not followed by another one when the person speaks while it is taken back", async () => {
    let store;
    const prompt = () =>
      new Promise((resolve) => {
        store = () => resolve(answerWith({ info: { id: "msg_late" }, parts: [] }));
      });
    const replaced = { "session.prompt": prompt };
    const { host, session } = await atTheEnd({ replaced, ...EVERYWHERE });
    host.idle(session);
    await host.clock.advance(0);
    await host.say(session);
    store();
    await settled();
    assert.deepEqual(host.requests("session.promptAsync"), []);
  });

  it("holds nothing up for longer than five seconds when the host does not answer", async () => {
    const { setTimeout: realTimeout } = globalThis;
    globalThis.setTimeout = (act, delay, ...rest) =>
      realTimeout(act, delay === 5_000 ? 2 : delay, ...rest);
    try {
      const replaced = { "session.prompt": () => new Promise(() => {}) };
      const { host, session } = await atTheEnd({ replaced, ...EVERYWHERE });
      host.idle(session);
      let isDisposed = false;
      host.hooks.dispose().then(() => {
        isDisposed = true;
      });
      for (let round = 0; round < 10_000 && !isDisposed; round += 1) await settled();
      assert.ok(isDisposed);
      assert.match(host.logged("warn").join(), /it may still stand there/);
    } finally {
      globalThis.setTimeout = realTimeout;
    }
  });

  it("hurts nothing on a host that can take no message back", async () => {
    const { host, session } = await atTheEnd();
    delete host.client.session._client;
    await settled();
    host.idle(session);
    await host.hooks.dispose();
  });

  it("brings no toast under opencode run, and the line that stands for it before opencode ends", async () => {
    const { host } = await atTheEnd({ options: { maxAutoSubmitsPerTodo: 1 } });
    const session = host.session();
    await host.say(session);
    await settled();
    host.write(session, [todo("write the tests")]);
    for (let turn = 0; turn < 2; turn += 1) {
      host.stop(session);
      await settled();
      const messages = host.of(session).messages.map((message) => structuredClone(message));
      await host.hooks["experimental.chat.messages.transform"]({}, { messages });
    }
    assert.deepEqual(host.toasts, []);
    assert.match(host.logged("warn").join(), /brought no progress; 1 todo is unfinished/);
    let isDisposed = false;
    const disposed = host.hooks.dispose().then(() => {
      isDisposed = true;
    });
    await settled();
    assert.ok(!isDisposed, "opencode would end before it has written its log");
    await disposed;
  });
});
