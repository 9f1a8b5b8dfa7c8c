// Several copies of the plugin in one process: one works, the others wait for it to go.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import load from "../../js/index.js";
import { oneAtWork } from "../../js/registry.js";
import { emptyProject, endWithTodos, FakeHost, IDLE_DELAY_MS, settled, todo } from "./host.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const KEY = Symbol.for("opencode-todo-keeper.v1");

let project;
before(() => {
  project = emptyProject();
});
after(() => project.remove());
afterEach(() => {
  delete globalThis[KEY];
});

/** opencode gives all plugins that it loads together the same one. */
const CLIENT = {};

/** A copy that writes down what it does. */
function copy(directory, name, said, start = () => ({}), client = CLIENT) {
  const begin = () => {
    said.push(`${name} starts`);
    return {
      event: () => said.push(`${name} hears`),
      dispose: async () => said.push(`${name} ends`),
      ...start(),
    };
  };
  return oneAtWork({ directory, client }, begin, () => said.push(`${name} stands by`));
}

describe("copies in one directory", () => {
  it("the first works, the others have no hooks", () => {
    const said = [];
    const [first, second, third] = ["a", "b", "c"].map((name) => copy("/x", name, said));
    for (const hooks of [first, second, third]) hooks.event?.();
    assert.deepEqual(said, ["a starts", "b stands by", "c stands by", "a hears"]);
    assert.deepEqual(Object.keys(second), ["dispose"]);
  });

  it("the next one takes over when the one at work is disposed, in the order in which they came", async () => {
    const said = [];
    const [first, second, third] = ["a", "b", "c"].map((name) => copy("/x", name, said));
    said.length = 0;
    await first.dispose();
    second.event();
    assert.deepEqual(said, ["a ends", "b starts", "b hears"]);
    await first.dispose();
    await second.dispose();
    third.event();
    assert.deepEqual(said.slice(3), ["a ends", "b ends", "c starts", "c hears"]);
    await third.dispose();
    assert.equal(globalThis[KEY].size, 0);
  });

  it("one that goes while it stands by is not started", async () => {
    const said = [];
    const [first, second, third] = ["a", "b", "c"].map((name) => copy("/x", name, said));
    await second.dispose();
    said.length = 0;
    await first.dispose();
    assert.deepEqual(said, ["a ends", "c starts"]);
    third.event();
  });

  it("one that cannot start lets the next one work", async () => {
    const said = [];
    const fail = () => {
      throw new Error("damaged");
    };
    assert.throws(() => copy("/x", "a", said, fail), /damaged/);
    const second = copy("/x", "b", said);
    copy("/x", "c", said, fail);
    const last = copy("/x", "d", said);
    said.length = 0;
    await second.dispose();
    last.event();
    assert.deepEqual(said, ["b ends", "c starts", "d starts", "d hears"]);
  });

  it("one whose end fails lets the next one work all the same", async () => {
    const said = [];
    const dispose = () => Promise.reject(new Error("no"));
    const first = copy("/x", "a", said, () => ({ dispose }));
    copy("/x", "b", said);
    await first.dispose().catch(() => {});
    assert.equal(said.at(-1), "b starts");
  });
});

describe("a copy of another load of the same directory", () => {
  it("works at once and ends those that were not told to go", async () => {
    const said = [];
    const first = copy("/x", "a", said);
    const second = copy("/x", "b", said);
    said.length = 0;
    const third = copy("/x", "c", said, undefined, {});
    assert.deepEqual(said, ["a ends", "c starts"]);
    said.length = 0;
    await first.dispose();
    await second.dispose();
    third.event();
    assert.deepEqual(said, ["a ends", "c hears"]);
    await third.dispose();
    assert.equal(globalThis[KEY].size, 0);
  });

  it("works at once even if those cannot be ended", async () => {
    for (const stop of [undefined, 7, () => assert.fail("no")]) {
      globalThis[KEY] = new Map([["/x", [{ client: {}, start() {}, stop }]]]);
      const said = [];
      await copy("/x", "a", said).dispose();
      assert.deepEqual(said, ["a starts", "a ends"]);
    }
  });
});

describe("a tool of a copy that has gone", () => {
  const tooled = (answer) => () => ({
    tool: { ask: { execute: async (own) => `${answer} ${own}` } },
  });

  it("is answered by the copy at work", async () => {
    const first = copy("/x", "a", [], tooled("a"));
    const second = copy("/x", "b", [], tooled("b"));
    const { execute } = first.tool.ask;
    assert.equal(await execute("x"), "a x");
    await first.dispose();
    assert.equal(await execute("x"), "b x");
    assert.equal(await second.tool.ask.execute("x"), "b x");
    await second.dispose();
    assert.equal(await execute("x"), "a x");
  });

  it("is answered by its own when nobody else has it, or the registry is not to be used", async () => {
    const first = copy("/x", "a", [], tooled("a"));
    copy("/x", "b", []);
    await first.dispose();
    assert.equal(await first.tool.ask.execute("x"), "a x");
    for (const junk of [7, new Map([["/x", 7]]), new Map([["/x", [{ hooks: null }]]])]) {
      globalThis[KEY] = junk;
      assert.equal(await first.tool.ask.execute("x"), "a x");
    }
  });
});

it("copies in different directories all work", () => {
  const said = [];
  copy("/x", "a", said);
  copy("/y", "b", said);
  assert.deepEqual(said, ["a starts", "b starts"]);
});

describe("what somebody else left in the registry's place", () => {
  const junk = {
    "a number": 7,
    "an object": {},
    "a frozen object": Object.freeze({}),
    "a map of junk": new Map([
      ["/x", "junk"],
      ["/y", [null]],
      ["/z", [{ start: 7 }]],
    ]),
    "a map that throws": new (class extends Map {
      get() {
        throw new Error("no");
      }
      set() {
        throw new Error("no");
      }
      delete() {
        throw new Error("no");
      }
    })(),
  };
  for (const [name, value] of Object.entries(junk)) {
    it(`keeps no copy from working and going: ${name}`, async () => {
      globalThis[KEY] = value;
      for (const directory of ["/x", "/y", "/z"]) {
        const said = [];
        await copy(directory, "a", said).dispose();
        assert.deepEqual(said, ["a starts", "a ends"]);
      }
    });
  }

  it("even if it cannot be read or replaced", async () => {
    const descriptor = {
      configurable: true,
      get() {
        throw new Error("no");
      },
    };
    Object.defineProperty(globalThis, KEY, descriptor);
    const said = [];
    await copy("/x", "a", said).dispose();
    assert.deepEqual(said, ["a starts", "a ends"]);
  });
});

describe("two copies of the plugin from two places", () => {
  let elsewhere;
  let loadOther;
  before(async () => {
    elsewhere = mkdtempSync(join(tmpdir(), "todo-keeper-copy-"));
    for (const name of ["js", "pkg", "package.json"])
      cpSync(join(ROOT, name), join(elsewhere, name), { recursive: true });
    const other = await import(pathToFileURL(join(elsewhere, "js/index.js")).href);
    loadOther = other.default;
  });
  after(() => rmSync(elsewhere, { recursive: true, force: true }));

  /** A host that calls the hooks of both copies, as opencode does: each looked up when it is called. */
  async function hostOfTwo(options) {
    const host = new FakeHost();
    const input = { client: host.client, directory: project.folder };
    const copies = [await load(input, options), await loadOther(input, options)];
    const each = (name) => async (input, output) => {
      for (const hooks of copies) await hooks[name]?.(input, output);
    };
    host.hooks = {
      event: (received) => {
        for (const hooks of copies) hooks.event?.(received);
      },
      "chat.message": each("chat.message"),
      "tool.execute.before": each("tool.execute.before"),
      "tool.execute.after": each("tool.execute.after"),
      "experimental.chat.messages.transform": each("experimental.chat.messages.transform"),
    };
    return { host, copies };
  }

  /** Waits for what the copies do by their own clock. */
  async function until(condition) {
    const giveUpAt = Date.now() + 5_000;
    while (!condition() && Date.now() < giveUpAt)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }

  it("send one reminder and one toast, and the one that stands by says so in one line", async () => {
    const { host, copies } = await hostOfTwo({ idleDelayMs: 20, maxAutoSubmitsPerTodo: 1 });
    const session = host.session();
    await endWithTodos(host, session);
    await until(() => host.prompts.length > 0);
    assert.equal(host.prompts.length, 1);
    host.end(session);
    await until(() => host.toasts.length > 0);
    assert.equal(host.toasts.length, 1);
    const lines = host.logged().filter((line) => /another copy/.test(line));
    assert.deepEqual(lines, ["todo-keeper: another copy of this plugin works in this directory"]);
    await Promise.all(copies.map(({ dispose }) => dispose()));
  });

  it("guard once, and offer the tool once", async () => {
    const { host, copies } = await hostOfTwo({ warnOrphanedTodos: true });
    const session = host.session();
    host.of(session).todos = [todo("keep me")];
    const call = { tool: "todowrite", sessionID: session, callID: "call_1" };
    const output = { args: { todos: [todo("new")] }, output: "[]" };
    await host.hooks["tool.execute.before"](call, output);
    assert.deepEqual(
      output.args.todos.map(({ content }) => content),
      ["new", "keep me"],
    );
    await host.hooks["tool.execute.after"](call, output);
    assert.equal(output.output.match(/Kept/g).length, 1);
    assert.equal(host.requests("session.todo").length, 1);
    assert.deepEqual(
      copies.map((hooks) => "tool" in hooks),
      [true, false],
    );
    await Promise.all(copies.map(({ dispose }) => dispose()));
  });

  it("the second one reminds, guards and offers the tool when the first one is gone", async () => {
    const { host, copies } = await hostOfTwo({ idleDelayMs: 20, warnOrphanedTodos: true });
    await copies[0].dispose();
    const session = host.session();
    await endWithTodos(host, session);
    await until(() => host.prompts.length > 0);
    assert.equal(host.prompts.length, 1);
    const output = { args: { todos: [] } };
    const call = { tool: "todowrite", sessionID: session, callID: "call_1" };
    await host.hooks["tool.execute.before"](call, output);
    assert.equal(output.args.todos.length, 1);
    assert.ok("tool" in copies[1]);
    await copies[1].dispose();
    host.calls.length = 0;
    host.end(session);
    await settled();
    await new Promise((resolve) => setTimeout(resolve, 3 * IDLE_DELAY_MS));
    assert.deepEqual(host.calls, []);
  });
});
