// The package as a whole: its one export, and what the person hears when a part of it is missing.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as entry from "../../js/index.js";
import { emptyProject, endWithTodos, FakeHost, IDLE_DELAY_MS, settled, todo } from "./host.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

let project;
before(() => {
  project = emptyProject();
});
after(() => project.remove());

describe("the entry", () => {
  it("has exactly one export, a function", () => {
    assert.deepEqual(Object.keys(entry), ["default"]);
    assert.equal(typeof entry.default, "function");
  });

  it("gives hooks that are functions, and a working plugin", async () => {
    const host = new FakeHost();
    host.hooks = await entry.default({ client: host.client, directory: project.folder });
    for (const [name, hook] of Object.entries(host.hooks)) {
      assert.equal(typeof hook, "function", name);
    }
    const session = host.session();
    await endWithTodos(host, session);
    const deadline = Date.now() + 10 * IDLE_DELAY_MS;
    while (host.prompts.length === 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(host.prompts.length, 1);
    await host.hooks.dispose();
  });

  it("survives any input", async () => {
    for (const input of [undefined, null, {}, 42, { client: null, directory: null }]) {
      const hooks = await entry.default(input, null);
      await hooks["chat.message"]({}, {});
      hooks.event?.({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
      await hooks.dispose?.();
    }
  });
});

describe("a wrong option", () => {
  it("is told in one toast, with the person's first message", async () => {
    const host = new FakeHost();
    host.start(project.folder, { idleDelayMs: "soon", enbled: true });
    await settled();
    assert.equal(host.toasts.length, 0);
    const session = host.session();
    await host.say(session);
    await host.say(host.session());
    assert.equal(host.toasts.length, 1);
    const { message, variant } = host.toasts[0];
    assert.equal(variant, "warning");
    assert.match(message, /opencode\.json: idleDelayMs: expected a whole number.*found "soon"/);
    assert.match(message, /enbled.*enabled|enabled.*enbled/);
    assert.equal(host.logged("warn").length, 2);
  });

  it("is told in the log alone when toasts are off", async () => {
    const host = new FakeHost();
    host.start(project.folder, { idleDelayMs: "soon", useToasts: false });
    await host.say(host.session());
    assert.equal(host.toasts.length, 0);
    assert.equal(host.logged("warn").length, 1);
  });
});

/** What a broken download or a virus scanner leaves of the package. */
const DAMAGES = {
  "without the module": (folder) => rmSync(join(folder, "pkg/todo_keeper_bg.wasm")),
  "with an empty module": (folder) => writeFileSync(join(folder, "pkg/todo_keeper_bg.wasm"), ""),
  "with a module of something else": (folder) =>
    writeFileSync(join(folder, "pkg/todo_keeper_bg.wasm"), "<html>not found</html>"),
  "with a module that holds nothing": (folder) =>
    writeFileSync(
      join(folder, "pkg/todo_keeper_bg.wasm"),
      Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
    ),
  "without the module's JavaScript": (folder) => rmSync(join(folder, "pkg/todo_keeper.js")),
  "without pkg": (folder) => rmSync(join(folder, "pkg"), { recursive: true }),
  "without a file of the shim": (folder) => rmSync(join(folder, "js/shapes.js")),
  "with a file of the shim cut off": (folder) =>
    writeFileSync(join(folder, "js/host.js"), "export class Host {"),
};

describe("a package", () => {
  const folders = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  async function pluginAfter(damage) {
    const folder = mkdtempSync(join(tmpdir(), "todo keeper #é%-"));
    folders.push(folder);
    for (const name of ["js", "pkg", "package.json"])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    damage(folder);
    return (await import(pathToFileURL(join(folder, "js/index.js")).href)).default;
  }

  it("that is whole works from any path", async () => {
    const plugin = await pluginAfter(() => {});
    const host = new FakeHost();
    host.hooks = await plugin(
      { client: host.client, directory: project.folder },
      { idleDelayMs: 0 },
    );
    await endWithTodos(host, host.session(), [todo("one")]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(host.prompts.length, 1);
    await host.hooks.dispose();
  });

  for (const [what, damage] of Object.entries(DAMAGES)) {
    it(`${what} says so in one line and, with the first message, in one toast`, async () => {
      const plugin = await pluginAfter(damage);
      const host = new FakeHost();
      host.hooks = await plugin({ client: host.client, directory: project.folder });
      await settled();
      assert.equal(host.logged("error").length, 1);
      assert.match(host.logged("error")[0], /^todo-keeper: .*could not be loaded.*Install/s);
      assert.equal(host.toasts.length, 0);
      for (const hook of [{}, { message: {}, parts: [] }, undefined])
        await host.hooks["chat.message"]({}, hook);
      assert.equal(host.toasts.length, 1);
      assert.equal(host.toasts[0].variant, "error");
      assert.equal(host.calls.length, 2);
    });

    it(`${what} throws nowhere, whatever the client does`, async () => {
      const plugin = await pluginAfter(damage);
      const failing = () => Promise.reject(Object.create(null));
      for (const client of [
        undefined,
        null,
        {},
        { app: { log: failing }, tui: { showToast: failing } },
      ]) {
        const hooks = await plugin({ client, directory: project.folder });
        await hooks["chat.message"]({}, {});
        await settled();
      }
      const hooks = await plugin();
      await hooks["chat.message"]();
    });
  }
});
