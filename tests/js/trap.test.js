// A trap in the core: caught, said, and the core rebuilt from the options and what the host knows.

import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { Core } from "../../pkg/todo_keeper.js";
import { emptyProject, endWithTodos, hostInView, IDLE_DELAY_MS, settled, todo } from "./host.js";

const { handle } = Core.prototype;

/** Makes the next call of any core a real trap: a core that is said to lie outside of the memory. */
function trapNext(act) {
  Core.prototype.handle = (input, now) => {
    Core.prototype.handle = handle;
    return act ? act() : handle.call({ __wbg_ptr: 2 ** 32 - 64 }, input, now);
  };
}

const traps = (host) => host.logged("warn").filter((line) => line.includes("trapped"));

describe("a trap", () => {
  const projects = [];
  const inView = (options) => {
    const project = emptyProject();
    projects.push(project);
    return hostInView(project.folder, options);
  };
  afterEach(() => {
    Core.prototype.handle = handle;
  });
  after(() => {
    for (const project of projects) project.remove();
  });

  it("does not bring back what was said about the options", async () => {
    const { host, session } = await inView({ idleDelayMs: "soon" });
    const complaints = () => host.toasts.filter(({ message }) => message.includes("idleDelayMs"));
    assert.equal(complaints().length, 1);
    trapNext();
    host.write(session, [todo("one")]);
    host.say(session);
    assert.equal(traps(host).length, 1);
    assert.equal(complaints().length, 1);
  });

  it("is a real one in these tests", async () => {
    await inView();
    assert.throws(() => handle.call({ __wbg_ptr: 2 ** 32 - 64 }, { type: "wake" }, 0), {
      name: "RuntimeError",
    });
  });

  for (const [how, act] of Object.entries({
    "of WebAssembly": undefined,
    "by name alone": () => {
      throw new WebAssembly.RuntimeError("unreachable");
    },
  })) {
    it(`${how} is caught and logged, and the session is taken up again from the host`, async () => {
      const { host, session } = await inView({ messageFormat: "Go on: {remaining}" });
      trapNext(act);
      host.write(session, [todo("one"), todo("two")]);
      assert.equal(traps(host).length, 1);
      assert.equal(host.clock.armed, 0);

      host.idle(session);
      await host.clock.advance(IDLE_DELAY_MS);
      assert.equal(host.requests("session.messages").length, 1);
      assert.equal(host.prompts.length, 1);
      assert.equal(host.prompts[0].body.parts[0].text, "Go on: 2");
      assert.equal(host.prompts[0].body.agent, "build");
    });
  }

  it("keeps the count of a series, which is in the messages", async () => {
    const { host, session } = await inView({ maxAutoSubmitsPerTodo: 2 });
    for (let turn = 0; turn < 4; turn += 1) {
      await host.clock.advance(IDLE_DELAY_MS);
      if (host.of(session).status.type !== "busy") continue;
      trapNext();
      host.write(session, [todo("write the tests")]);
      host.end(session);
    }
    assert.equal(host.prompts.length, 2);
  });

  it("leaves the other directories at work", async () => {
    const one = await inView({ messageFormat: "one" });
    const other = await inView({ messageFormat: "other" });
    trapNext();
    one.host.write(one.session, [todo("one")]);
    for (const { host, session } of [other, one]) {
      host.idle(session);
      await host.clock.advance(IDLE_DELAY_MS);
    }
    for (const [{ host }, text] of [
      [one, "one"],
      [other, "other"],
    ]) {
      assert.deepEqual(
        host.prompts.map(({ body }) => body.parts[0].text),
        [text],
      );
      assert.equal(traps(host).length, 1, "the log says why a reminder may be missing");
    }
  });

  it("in the alarm, in an answer and in a message throws nowhere", async () => {
    const { host, session } = await inView();
    trapNext();
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(traps(host).length, 1);

    await endWithTodos(host, session);
    host.replaced["session.get"] = () => {
      trapNext();
      return Promise.resolve({ data: host.of(session).info });
    };
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(traps(host).length, 2);
    delete host.replaced["session.get"];

    await host.clock.advance(60_000);
    trapNext();
    await host.say(session);
    assert.equal(traps(host).length, 3);

    await endWithTodos(host, session);
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 1);
  });

  it("has no part in what the new core asks", async () => {
    const { host, session } = await inView();
    const answers = [];
    host.replaced["session.todo"] = () => new Promise((resolve) => answers.push(resolve));
    await host.clock.advance(IDLE_DELAY_MS);
    trapNext();
    host.write(session, [todo("one")]);
    assert.equal(traps(host).length, 1);
    host.idle(session);
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(answers.length, 2);
    answers[0]({ data: [todo("of the time before")] });
    await settled();
    assert.deepEqual(host.prompts, []);
    answers[1]({ data: [todo("one"), todo("two")] });
    await settled();
    assert.equal(host.prompts.length, 1);
    assert.match(host.prompts[0].body.parts[0].text, /0 of 2/);
  });

  it("does not bring the options' lines into the log again", async () => {
    const { host, session } = await inView({ idleDelayMs: "soon" });
    const lines = () => host.logged("warn").filter((line) => line.includes("idleDelayMs")).length;
    assert.equal(lines(), 1);
    trapNext();
    host.write(session, [todo("one")]);
    await host.say(session);
    assert.equal(traps(host).length, 1);
    assert.equal(lines(), 1);
  });
});

describe("three traps within a minute", () => {
  it("turn the plugin off, with one toast, and the log says why", async () => {
    const project = emptyProject();
    const { host, session } = await hostInView(project.folder);
    for (let trap = 0; trap < 5; trap += 1) {
      trapNext();
      host.write(session, [todo("one")]);
    }
    Core.prototype.handle = handle;
    assert.equal(traps(host).length, 3);
    assert.match(traps(host)[2], /too often within a minute.*RuntimeError/);
    const said = host.toasts.filter(({ title }) => title === "Todo reminders are off");
    assert.equal(said.length, 1);
    assert.equal(said[0].variant, "error");
    await endWithTodos(host, session);
    await host.clock.advance(3_600_000);
    assert.deepEqual(host.prompts, []);
    assert.equal(host.clock.armed, 0);
    const args = { todos: [] };
    const call = { tool: "todowrite", sessionID: session, callID: "call_1" };
    await host.clock.meanwhile(host.hooks["tool.execute.before"](call, { args }));
    await host.hooks["tool.execute.after"](call, { output: "[]" });
    assert.deepEqual(args, { todos: [] });
    await host.hooks.dispose();
    project.remove();
  });

  it("in one directory leave the others at work", async () => {
    const [one, other] = [emptyProject(), emptyProject()];
    const broken = await hostInView(one.folder);
    const whole = await hostInView(other.folder);
    for (let trap = 0; trap < 3; trap += 1) {
      trapNext();
      broken.host.write(broken.session, [todo("one")]);
    }
    for (const { host, session } of [broken, whole]) {
      await endWithTodos(host, session);
      await host.clock.advance(IDLE_DELAY_MS);
    }
    assert.equal(broken.host.prompts.length, 0);
    assert.equal(whole.host.prompts.length, 1);
    one.remove();
    other.remove();
  });
});

describe("an object that throws while the core reads it", () => {
  it("does not leave the core locked", async () => {
    const project = emptyProject();
    const { host, session } = await hostInView(project.folder);
    host.publish("session.idle", {
      sessionID: {
        get type() {
          throw new Error("do not touch");
        },
      },
    });
    host.publish("session.idle", {
      sessionID: new Proxy(
        {},
        {
          get() {
            throw new Error("do not touch");
          },
        },
      ),
    });
    await endWithTodos(host, session);
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 1);
    project.remove();
  });
});
