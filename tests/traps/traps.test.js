// A core that really panics, runs out of memory or overflows its stack: the same sources, built with the feature `traps`
// (`npm run build -- --traps`). Every hook survives it, the core is rebuilt, and nothing of the old one is kept.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { emptyProject, endWithTodos, FakeHost, IDLE_DELAY_MS, settled, todo } from "../js/host.js";

const ROOT = new URL("../../", import.meta.url);
const KINDS = ["trapByPanic", "trapByMemory", "trapByStack"];
/** Where the shim calls the core, and how a host gets it to. */
const CALLS = {
  handle: ({ host, session }) => host.write(session, [todo("one")]),
  request: ({ host, session }) => {
    const info = { id: "msg_9", role: "user", sessionID: session };
    const messages = [{ info, parts: [] }];
    return host.hooks["experimental.chat.messages.transform"]({}, { messages });
  },
  compacting: ({ host, session }) =>
    host.hooks["experimental.session.compacting"]({ sessionID: session }, { context: [] }),
  todowrite: ({ host, session }) =>
    host.hooks["tool.execute.before"](call(session), { args: { todos: [todo("one")] } }),
  todowriteDone: ({ host, session }) =>
    host.hooks["tool.execute.after"](call(session), { output: "[]" }),
};
const call = (session) => ({ tool: "todowrite", sessionID: session, callID: "call_1" });

let folder;
let keep;
let bindings;
let project;
let unhandled = 0;
const onRejection = () => {
  unhandled += 1;
};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "todo-keeper-traps-"));
  cpSync(new URL("js", ROOT), join(folder, "js"), { recursive: true });
  cpSync(new URL(".cache/traps", ROOT), join(folder, "pkg"), { recursive: true });
  cpSync(new URL("package.json", ROOT), join(folder, "package.json"));
  ({ keep } = await import(pathToFileURL(join(folder, "js", "keeper.js")).href));
  bindings = await import(pathToFileURL(join(folder, "pkg", "todo_keeper.js")).href);
  project = emptyProject();
  process.on("unhandledRejection", onRejection);
});

after(() => {
  process.off("unhandledRejection", onRejection);
  project.remove();
  rmSync(folder, { recursive: true });
});

afterEach(() => assert.equal(unhandled, 0, "rejections that nobody handled"));

/** A host of the build that can trap, whose reminder is in view. */
async function inView() {
  const host = new FakeHost();
  host.keep = keep;
  host.start(project.folder);
  const session = host.session();
  await endWithTodos(host, session);
  return { host, session };
}

/** Makes the next call of `method` a trap. */
function trapNext(method, kind) {
  const { Core } = bindings;
  const whole = Core.prototype[method];
  Core.prototype[method] = function trapping() {
    Core.prototype[method] = whole;
    return this[kind]();
  };
}

const traps = (host) => host.logged("warn").filter((line) => line.includes("trapped"));

async function isReminded({ host, session }) {
  const { length } = host.prompts;
  await endWithTodos(host, session);
  await host.clock.advance(IDLE_DELAY_MS);
  assert.equal(host.prompts.length, length + 1);
}

describe("a trap", () => {
  for (const kind of KINDS) {
    it(`${kind} is a real one`, async () => {
      await inView();
      const core = new bindings.Core([]);
      assert.throws(() => core[kind](), {
        name: kind === "trapByStack" ? /Error$/ : "RuntimeError",
      });
      bindings.__wbg_reset_state();
    });

    for (const [method, act] of Object.entries(CALLS)) {
      it(`${kind} in ${method} is caught, and reminders go on`, async () => {
        const stage = await inView();
        trapNext(method, kind);
        await stage.host.clock.meanwhile(Promise.resolve(act(stage)));
        assert.equal(traps(stage.host).length, 1, stage.host.logged("warn", "error").join("\n"));
        await isReminded(stage);
        await stage.host.hooks.dispose();
        assert.equal(stage.host.clock.armed, 0);
      });
    }
  }

  it("at a command is told to the person who gave it", async () => {
    const { host, session } = await inView();
    trapNext("handle", "trapByPanic");
    const given = assert.rejects(host.command(session, "todo-keeper", ""), /answered the command/);
    await host.clock.meanwhile(given);
    const [{ body }] = host.requests("tui.showToast");
    assert.match(body.message, /could not answer the command/);
    await isReminded({ host, session });
  });

  it("while a command is answered is told to the person who gave it", async () => {
    const { host, session } = await inView();
    let release;
    host.replaced["app.agents"] = () =>
      new Promise((resolve) => {
        release = () => resolve({ data: [] });
      });
    const given = assert.rejects(host.command(session, "todo-keeper", ""), /answered the command/);
    await settled();
    trapNext("handle", "trapByPanic");
    host.write(session, [todo("one")]);
    release();
    await host.clock.meanwhile(given);
    const [{ body }] = host.requests("tui.showToast");
    assert.match(body.message, /could not answer the command/);
  });

  it("is told in the log of another directory too, whose core it takes away", async () => {
    const [mine, other] = [await inView(), await inView()];
    trapNext("handle", "trapByPanic");
    mine.host.write(mine.session, [todo("one")]);
    await other.host.clock.advance(IDLE_DELAY_MS);
    assert.match(traps(other.host).join(), /another directory/);
    await isReminded(other);
  });

  it("leaves nothing of the old core behind", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    const stage = await inView();
    const olds = [];
    for (let trap = 0; trap < 50; trap += 1) {
      olds.push(new WeakRef(bindings.initSync().memory));
      trapNext("handle", "trapByPanic");
      stage.host.write(stage.session, [todo("one")]);
      await stage.host.clock.advance(60_000);
    }
    assert.equal(traps(stage.host).length, 50);
    for (let round = 0; round < 5; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    const kept = olds.filter((old) => old.deref() !== undefined).length;
    assert.ok(kept <= 1, `${kept} of 50 memories are kept`);
    await isReminded(stage);
  });
});
