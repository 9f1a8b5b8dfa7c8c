// The hooks around `todowrite`, with arguments and hosts that the real opencode does not bring about at will.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { append } from "../../js/args.js";
import { keep } from "../../js/keeper.js";
import { Turns } from "../../js/turns.js";
import { emptyProject, FakeHost } from "./host.js";

const BEFORE = "tool.execute.before";
const AFTER = "tool.execute.after";
const KEPT = /^Kept 1 unfinished todo that this list left out: "write". .*`cancelled`\.$/;
const LOST =
  /^This list dropped 1 unfinished todo, which could not be put back: "write".*once more/;

const todo = (content, status = "pending", priority = "high") => ({ content, status, priority });

let folder;
// What waits for a timer of the plugin alone would be taken for the end: such timers keep no process alive.
let awake;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "todo-keeper-"));
  process.env["XDG_CONFIG_HOME"] = join(folder, "config");
  delete process.env["OPENCODE_CONFIG_DIR"];
  awake = setInterval(() => {}, 1_000);
});

after(() => {
  clearInterval(awake);
  rmSync(folder, { recursive: true, force: true });
});

/** Timers that go off when they are told to. */
class ManualClock {
  timers = new Set();
  now = () => 1_800_000_000_000;
  setTimer = (act, delay) => {
    const timer = { act, delay };
    this.timers.add(timer);
    return timer;
  };
  clearTimer = (timer) => this.timers.delete(timer);
  async goOff() {
    for (const timer of [...this.timers]) {
      this.timers.delete(timer);
      timer.act();
    }
    await settled();
  }
}

async function settled() {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** As much of opencode as the guard needs: the lists, the tool, and the log. */
class Todowrite {
  lists = {};
  asked = 0;
  lines = [];
  clock = new ManualClock();
  /** What answers in the host's place. */
  answer;

  constructor(options) {
    const todo = async ({ path }) => {
      this.asked += 1;
      if (this.answer) return this.answer(path.id);
      return { data: structuredClone(this.lists[path.id] ?? []) };
    };
    const log = async ({ body }) => {
      this.lines.push(body);
      return { data: true };
    };
    const client = { session: { todo }, app: { log } };
    this.hooks = keep({ client, directory: folder }, options, this.clock);
  }

  /** The host says that a list was written. */
  publish(session, todos) {
    this.hooks.event({
      event: { type: "todo.updated", properties: { sessionID: session, todos } },
    });
  }

  before(args, { session = "ses_1", call = "call_1", tool = "todowrite" } = {}) {
    return this.hooks[BEFORE]({ tool, sessionID: session, callID: call }, { args });
  }

  /** What the tool answers after the hook. */
  async after({ session = "ses_1", call = "call_1", tool = "todowrite", ...answer } = {}) {
    const result = { title: "", output: "[]", metadata: {}, ...answer };
    await this.hooks[AFTER]({ tool, sessionID: session, callID: call, args: {} }, result);
    return result.output;
  }

  /** A whole call, as the host runs one; returns what was added to the answer. */
  async write(todos, call = {}) {
    const args = { todos };
    await this.before(args, call);
    const { session = "ses_1" } = call;
    this.lists[session] = structuredClone(args.todos);
    this.publish(session, this.lists[session]);
    return lineOf(await this.after(call));
  }

  logged(level) {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }
}

/** What stands after the tool's own answer. */
function lineOf(output) {
  assert.ok(output.startsWith("[]"), output);
  if (output === "[]") return "";
  assert.ok(output.startsWith("[]\n\n"), output);
  return output.slice("[]\n\n".length);
}

function withList(todos = [todo("write")], options) {
  const host = new Todowrite(options);
  host.lists["ses_1"] = todos;
  return host;
}

describe("dispose", () => {
  it("leaves no call waiting and no timer", async () => {
    const project = emptyProject();
    const host = new FakeHost();
    host.start(project.folder);
    const session = host.session();
    const before = (callID) =>
      host.hooks["tool.execute.before"](
        { tool: "todowrite", sessionID: session, callID },
        { args: { todos: [todo("a")] } },
      );
    await before("call_1");
    const second = before("call_2");
    await settled();
    assert.ok(host.clock.armed > 0);
    await host.hooks.dispose();
    await second;
    await settled();
    assert.equal(host.clock.armed, 0);
    project.remove();
  });
});

describe("putting todos into arguments", () => {
  it("adds them to the very list, at the end", () => {
    const list = [todo("a")];
    const args = { todos: list };
    assert.equal(append(args, [todo("b"), todo("c")]), true);
    assert.equal(args.todos, list);
    assert.deepEqual(list, [todo("a"), todo("b"), todo("c")]);
  });

  it("touches nothing when there is nothing to add", () => {
    const args = Object.freeze({ todos: Object.freeze([]) });
    assert.equal(append(args, []), true);
  });

  it("replaces a list that takes nothing", () => {
    for (const close of [Object.freeze, Object.seal, Object.preventExtensions]) {
      const args = { todos: close([todo("a")]) };
      assert.equal(append(args, [todo("b")]), true);
      assert.deepEqual(args.todos, [todo("a"), todo("b")]);
    }
  });

  it("adds to an open list in closed arguments", () => {
    const args = Object.freeze({ todos: [todo("a")] });
    assert.equal(append(args, [todo("b")]), true);
    assert.deepEqual(args.todos, [todo("a"), todo("b")]);
  });

  it("adds each once when the list takes only a part of them", () => {
    const target = [todo("a")];
    const set = (list, key, value) => key !== "2" && Reflect.set(list, key, value);
    const args = { todos: new Proxy(target, { set }) };
    assert.equal(append(args, [todo("b"), todo("c")]), true);
    assert.deepEqual(args.todos, [todo("a"), todo("b"), todo("c")]);
  });

  for (const [name, make] of Object.entries(closedArgs())) {
    it(`says that it could not: ${name}`, () => {
      assert.equal(append(make([todo("a")]), [todo("b")]), false);
    });
  }
});

/** Arguments that take nothing, by what they are; each makes them of a list. */
function closedArgs() {
  const refuse = () => {
    throw new Error("refused");
  };
  return {
    "frozen at both depths": (todos) => Object.freeze({ todos: Object.freeze(todos) }),
    "frozen at every depth": (todos) =>
      Object.freeze({ todos: Object.freeze(todos.map(Object.freeze)) }),
    "a getter that makes the list anew": (todos) => ({
      get todos() {
        return [...todos];
      },
    }),
    "a list that ignores what is set": (todos) =>
      Object.freeze({ todos: new Proxy(todos, { set: () => true, defineProperty: () => true }) }),
    "proxies that refuse": (todos) =>
      new Proxy(
        { todos: new Proxy(todos, { set: refuse, defineProperty: refuse }) },
        { set: refuse, defineProperty: refuse },
      ),
    "a list that cannot be read to its end": (todos) => ({
      todos: new Proxy(todos, {
        get: (list, key) => (key === "length" ? refuse() : Reflect.get(list, key)),
      }),
    }),
  };
}

describe("a todowrite that leaves a todo out", () => {
  it("gets it back at the end, as the three fields and no more, and the model is told", async () => {
    const host = withList([{ ...todo("write"), id: "1" }, todo("done", "completed")]);
    const args = { todos: [todo("test", "pending", "low")] };
    await host.before(args);
    assert.deepEqual(args.todos, [todo("test", "pending", "low"), todo("write")]);
    assert.match(lineOf(await host.after()), KEPT);
  });

  it("is told so once, and only for that call of that session", async () => {
    const host = withList();
    host.lists["ses_2"] = [todo("other")];
    await host.before({ todos: [] });
    await host.before({ todos: [todo("other")] }, { session: "ses_2" });
    assert.equal(lineOf(await host.after({ session: "ses_2" })), "");
    assert.equal(lineOf(await host.after({ call: "call_2" })), "");
    assert.match(lineOf(await host.after()), KEPT);
    assert.equal(lineOf(await host.after()), "");
  });

  it("adds nothing to the answer when nothing was kept", async () => {
    const host = withList();
    assert.equal(await host.write([todo("write", "completed")]), "");
    assert.equal(await host.write([]), "");
  });

  it("leaves an answer alone that is no text, and does not throw", async () => {
    for (const output of [undefined, null, 1, { text: "x" }]) {
      const host = withList();
      await host.before({ todos: [] });
      assert.equal(await host.after({ output }), output);
      assert.match(host.logged("warn").join("\n"), /answer.*"write"/);
    }
  });

  it("does not throw for an answer that cannot be changed or is not there", async () => {
    const host = withList();
    await host.before({ todos: [] });
    const call = { tool: "todowrite", sessionID: "ses_1", callID: "call_1" };
    await host.hooks[AFTER](call, Object.freeze({ output: "[]" }));
    await host.hooks[AFTER](call, undefined);
    await host.hooks[AFTER](undefined, undefined);
    await host.hooks[BEFORE](undefined, undefined);
    await host.hooks[BEFORE](call, undefined);
  });
});

describe("arguments that cannot be changed", () => {
  for (const [name, make] of Object.entries(closedArgs())) {
    if (name.startsWith("a list that cannot be read")) continue;
    it(`${name}: the answer says what was lost and asks for one corrected call`, async () => {
      const host = withList();
      const args = make([todo("test")]);
      await host.before(args);
      assert.deepEqual([...args.todos], [todo("test")]);
      assert.match(lineOf(await host.after()), LOST);
      assert.equal(lineOf(await host.after()), "");
    });
  }

  it("does not ask again when the corrected call comes", async () => {
    const host = withList();
    await host.before(Object.freeze({ todos: Object.freeze([todo("test")]) }));
    assert.match(lineOf(await host.after()), LOST);
    const corrected = Object.freeze({ todos: Object.freeze([todo("test"), todo("write")]) });
    await host.before(corrected, { call: "call_2" });
    assert.equal(lineOf(await host.after({ call: "call_2" })), "");
  });

  it("nothing is said of closed ones that leave nothing out", async () => {
    const host = withList();
    await host.before(Object.freeze({ todos: Object.freeze([Object.freeze(todo("Write "))]) }));
    assert.equal(lineOf(await host.after()), "");
  });
});

describe("arguments that are no list of todos", () => {
  const throwing = {
    get content() {
      throw new Error("no content");
    },
  };
  for (const [name, todos] of Object.entries({
    missing: undefined,
    null: null,
    "a string": '[{"content":"a"}]',
    "a number": 7,
    "an object": { 0: todo("write"), length: 1 },
  })) {
    it(`${name}: the call is left as it was`, async () => {
      const host = withList();
      const args = { todos };
      await host.before(args);
      assert.deepEqual(args, { todos });
      assert.equal(host.asked, 0);
      assert.deepEqual(host.logged("error"), []);
    });
  }

  it("args that are nothing at all", async () => {
    const host = withList();
    for (const args of [undefined, null, 1, "todos", []]) await host.before(args);
    assert.deepEqual(host.logged("error"), []);
  });

  it("items that are no todos stand for none, and stay", async () => {
    const items = [null, 1, "write", [todo("write")], {}, { content: 1 }, throwing, undefined];
    const host = withList();
    const args = { todos: [...items] };
    await host.before(args);
    assert.equal(args.todos.length, items.length + 1);
    for (const [index, item] of items.entries()) assert.equal(args.todos[index], item);
    assert.deepEqual(args.todos.at(-1), todo("write"));
    assert.deepEqual(host.logged("error"), []);
  });

  it("a list that throws while it is read does not stop the calls after it", async () => {
    const host = withList();
    const get = (list, key) => {
      if (key === "0") throw new Error("no first item");
      return Reflect.get(list, key);
    };
    await host.before({ todos: new Proxy([todo("a")], { get }) });
    await host.after();
    assert.match(host.logged("error").join("\n"), /no first item/);
    assert.match(await host.write([], { call: "call_2" }), KEPT);
  });

  it("ten thousand items, and a text of a megabyte", async () => {
    const host = withList([todo("x".repeat(1_000_000)), todo("write")]);
    const args = { todos: Array.from({ length: 10_000 }, (_, index) => todo(`task ${index}`)) };
    await host.before(args);
    assert.equal(args.todos.length, 10_002);
    const line = lineOf(await host.after());
    assert.ok(line.length < 1_000, `${line.length} characters`);
  });
});

describe("the present list", () => {
  it("is the one last heard of when the host does not answer", async () => {
    for (const answer of [
      () => Promise.reject(new Error("no host")),
      () => {
        throw new Error("no host");
      },
      async () => ({ error: { name: "NotFoundError", data: { message: "none" } } }),
      async () => ({ data: "no list" }),
      async () => ({ data: [null] }),
      async () => undefined,
    ]) {
      const host = withList();
      host.publish("ses_1", [todo("write")]);
      host.answer = answer;
      assert.match(await host.write([]), KEPT);
    }
  });

  it("is the one last heard of when the host takes longer than a second", async () => {
    const host = withList();
    host.publish("ses_1", [todo("write")]);
    host.answer = () => new Promise(() => {});
    const start = performance.now();
    assert.match(await host.write([]), KEPT);
    const took = performance.now() - start;
    assert.ok(took > 900 && took < 5_000, `took ${took} ms`);
  });

  it("is the host's when both are known", async () => {
    const host = withList();
    host.publish("ses_1", [todo("heard", "completed")]);
    assert.match(await host.write([]), KEPT);
  });

  it("when neither is known, that is said in the log and the call is left as it was", async () => {
    const host = withList();
    host.answer = () => Promise.reject(new Error("no host"));
    const args = Object.freeze({ todos: Object.freeze([todo("test")]) });
    await host.before(args);
    assert.equal(lineOf(await host.after()), "");
    assert.match(host.lines.map(({ message }) => message).join("\n"), /present list is not known/);
  });
});

describe("hooks that have nothing to do", () => {
  it("are not there when the guard or the plugin is off", () => {
    for (const options of [{ preserveUnfinishedTodos: false }, { enabled: false }]) {
      const { hooks } = withList([], options);
      assert.equal(hooks[BEFORE], undefined);
      assert.equal(hooks[AFTER], undefined);
    }
  });

  it("leave other tools alone, and are cheap", async () => {
    const host = withList();
    const args = Object.freeze({ todos: [] });
    // The processor's time: on a busy machine the clock's says nothing.
    const start = process.cpuUsage();
    for (let call = 0; call < 10_000; call += 1) {
      await host.before(args, { tool: "todoread", call: `call_${call}` });
      assert.equal(await host.after({ tool: "todoread", call: `call_${call}`, output: "x" }), "x");
    }
    const { user, system } = process.cpuUsage(start);
    assert.ok(user + system < 1_000_000, `took ${user + system} µs`);
    assert.equal(host.asked, 0);
    assert.equal(host.clock.timers.size, 0);
    assert.deepEqual(args.todos, []);
  });

  it("do nothing after the end", async () => {
    const host = withList();
    await host.hooks.dispose();
    const args = { todos: [] };
    await host.before(args);
    assert.deepEqual(args.todos, []);
    assert.equal(host.asked, 0);
  });
});

describe("two calls of one session at once", () => {
  it("the second sees what the first one brought", async () => {
    const host = withList([todo("write")]);
    const first = { todos: [todo("write"), todo("test")] };
    const second = { todos: [todo("write"), todo("ship")] };
    const begun = [host.before(first), host.before(second, { call: "call_2" })];
    await begun[0];
    await settled();
    assert.equal(host.asked, 1);
    host.lists["ses_1"] = first.todos;
    await host.after();
    await begun[1];
    assert.deepEqual(second.todos, [todo("write"), todo("ship"), todo("test")]);
    assert.match(lineOf(await host.after({ call: "call_2" })), /"test"/);
    await settled();
    assert.equal(host.clock.timers.size, 0);
  });

  it("the second waits a second at most for one that fails", async () => {
    const host = withList();
    const second = { todos: [] };
    await host.before({ todos: [1] });
    const begun = host.before(second, { call: "call_2" });
    await settled();
    assert.deepEqual(
      [...host.clock.timers].map(({ delay }) => delay),
      [1_000],
    );
    assert.deepEqual(second.todos, []);
    await host.clock.goOff();
    await begun;
    assert.deepEqual(second.todos, [todo("write")]);
  });

  it("what the second drops because it could not wait for the first is told", async () => {
    const host = withList();
    host.publish("ses_1", host.lists["ses_1"]);
    const first = { todos: [todo("write"), todo("test")] };
    const second = { todos: [todo("write")] };
    await host.before(first);
    const begun = host.before(second, { call: "call_2" });
    await settled();
    await host.clock.goOff();
    await begun;
    host.publish("ses_1", first.todos);
    assert.equal(lineOf(await host.after()), "");
    host.publish("ses_1", second.todos);
    assert.match(lineOf(await host.after({ call: "call_2" })), /^This list dropped 1 .*"test"/);
  });

  it("one of another session waits for nobody", async () => {
    const host = withList();
    host.lists["ses_2"] = [todo("other")];
    await host.before({ todos: [] });
    const args = { todos: [] };
    await host.before(args, { session: "ses_2" });
    assert.deepEqual(args.todos, [todo("other")]);
  });

  it("many of them lose nothing, whatever their order", async () => {
    const host = withList([]);
    const names = Array.from({ length: 20 }, (_, index) => `${"abcdefghijklmnopqrst"[index]} task`);
    await Promise.all(names.map((name, index) => host.write([todo(name)], { call: `c${index}` })));
    const written = host.lists["ses_1"].map(({ content }) => content);
    assert.deepEqual(written.sort(), names);
    await settled();
    assert.equal(host.clock.timers.size, 0);
  });
});

describe("turns", () => {
  it("leave no timer behind, in whatever order they end", async () => {
    const clock = new ManualClock();
    const turns = new Turns(clock);
    const done = [];
    const begin = (call) => turns.begin("s", call, async () => done.push(call));
    turns.end("s", "never begun");
    const begun = [begin("1"), begin("2"), begin("3")];
    await settled();
    assert.deepEqual(done, ["1"]);
    turns.end("s", "3");
    turns.end("s", "1");
    turns.end("s", "1");
    await settled();
    assert.deepEqual(done, ["1", "2"]);
    await clock.goOff();
    await Promise.all(begun);
    assert.deepEqual(done, ["1", "2", "3"]);
    await settled();
    assert.equal(clock.timers.size, 0);
    await begin("4");
    assert.deepEqual(done, ["1", "2", "3", "4"]);
  });

  it("go on after one that throws", async () => {
    const clock = new ManualClock();
    const turns = new Turns(clock);
    const failing = turns.begin("s", "1", () => Promise.reject(new Error("failed")));
    await assert.rejects(failing, /failed/);
    const next = turns.begin("s", "2", async () => {});
    await clock.goOff();
    await next;
  });

  it("of the same id are turns of their own", async () => {
    const clock = new ManualClock();
    const turns = new Turns(clock);
    await turns.begin("s", "1", async () => {});
    const second = turns.begin("s", "1", async () => {});
    await clock.goOff();
    await second;
    turns.end("s", "1");
    await settled();
    assert.equal(clock.timers.size, 0);
  });
});
