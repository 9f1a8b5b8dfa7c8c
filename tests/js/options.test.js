// Where options are read from, and in which order.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { optionSources } from "../../js/host.js";
import { Core } from "../../pkg/todo_keeper.js";
import { FakeHost } from "./host.js";

const HOST = new URL("../../js/host.js", import.meta.url).href;

let folder;
let count = 0;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "todo-keeper-options-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A folder of its own, with these files in it; `null` stands for a folder of that name. */
function folderWith(files) {
  count += 1;
  const root = join(folder, String(count));
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, name);
    mkdirSync(text === null ? file : dirname(file), { recursive: true });
    if (text !== null) writeFileSync(file, text);
  }
  return root;
}

describe("options come from", () => {
  it("nowhere when nobody set any", () => {
    const root = folderWith({});
    assert.deepEqual(optionSources({ directory: root }, undefined, { XDG_CONFIG_HOME: root }), []);
    assert.deepEqual(optionSources({ directory: root }, null, { XDG_CONFIG_HOME: root }), []);
  });

  it("every place, the later ones first to be obeyed", () => {
    const root = folderWith({
      "config/opencode/todo-reminder.json": "1",
      "config/opencode/todo-reminder.jsonc": "2",
      "project/.opencode/todo-reminder.json": "3",
      "project/.opencode/todo-reminder.jsonc": "4",
      "extra/todo-reminder.json": "5",
      "extra/todo-reminder.jsonc": "6",
    });
    const env = {
      XDG_CONFIG_HOME: join(root, "config"),
      OPENCODE_CONFIG_DIR: join(root, "extra"),
    };
    const sources = optionSources({ directory: join(root, "project") }, { debug: true }, env);
    assert.deepEqual(
      sources.map(({ text }) => text),
      ["1", "2", "3", "4", "5", "6", '{"debug":true}'],
    );
    assert.equal(sources[3].file, join(root, "project/.opencode/todo-reminder.jsonc"));
    assert.equal(sources[6].file, "opencode.json");
  });

  it("the worktree's root too, below the folder that opencode was started in", () => {
    const root = folderWith({
      "config/opencode/todo-reminder.json": "1",
      "tree/.opencode/todo-reminder.json": "2",
      "tree/.opencode/todo-reminder.jsonc": "3",
      "tree/a/.opencode/todo-reminder.json": "not looked at",
      "tree/a/b/.opencode/todo-reminder.json": "4",
      "extra/todo-reminder.json": "5",
    });
    const worktree = join(root, "tree");
    const env = {
      XDG_CONFIG_HOME: join(root, "config"),
      OPENCODE_CONFIG_DIR: join(root, "extra"),
    };
    const textsIn = (directory, worktree) =>
      optionSources({ directory, worktree }, undefined, env).map(({ text }) => text);
    assert.deepEqual(textsIn(join(worktree, "a/b"), worktree), ["1", "2", "3", "4", "5"]);
    assert.deepEqual(textsIn(worktree, worktree), ["1", "2", "3", "5"]);
  });

  it("no worktree where there is none: opencode then names the root of the file system", () => {
    const root = folderWith({ ".opencode/todo-reminder.json": "1" });
    const env = { XDG_CONFIG_HOME: join(root, "none") };
    for (const worktree of ["/", "", undefined, null, 7, {}]) {
      const files = optionSources({ directory: root, worktree }, undefined, env);
      assert.deepEqual(
        files.map(({ file }) => file),
        [join(root, ".opencode/todo-reminder.json")],
      );
    }
  });

  it("~/.config when XDG_CONFIG_HOME is not set, or empty", () => {
    const home = folderWith({ ".config/opencode/todo-reminder.json": '{"debug":true}' });
    const project = folderWith({});
    for (const xdg of [undefined, ""]) {
      const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: xdg };
      if (xdg === undefined) delete env.XDG_CONFIG_HOME;
      delete env.OPENCODE_CONFIG_DIR;
      delete env.NODE_TEST_CONTEXT;
      const code = `import(${JSON.stringify(HOST)}).then(({ optionSources }) =>
        console.log(JSON.stringify(optionSources({ directory: ${JSON.stringify(project)} }, undefined, process.env))))`;
      const { stdout, stderr } = spawnSync(process.execPath, ["-e", code], {
        env,
        encoding: "utf8",
      });
      assert.deepEqual(
        JSON.parse(stdout || `"${stderr}"`).map(({ text }) => text),
        ['{"debug":true}'],
      );
    }
    assert.ok(homedir());
  });

  it("one place once, when two names lead there", () => {
    const root = folderWith({ ".opencode/todo-reminder.json": "1" });
    const env = {
      XDG_CONFIG_HOME: join(root, "none"),
      OPENCODE_CONFIG_DIR: join(root, ".opencode"),
    };
    assert.equal(optionSources({ directory: root }, undefined, env).length, 1);
  });

  it("a place that cannot be read, with the reason", () => {
    const root = folderWith({
      "config/opencode/todo-reminder.json": null,
      ".opencode": "a file in place of the folder",
    });
    const sources = optionSources({ directory: root }, undefined, {
      XDG_CONFIG_HOME: join(root, "config"),
    });
    assert.deepEqual(sources, [
      {
        file: join(root, "config/opencode/todo-reminder.json"),
        error: "a folder of that name",
      },
    ]);
  });

  it("a link that leads to itself, with the reason", () => {
    const root = folderWith({ ".opencode/other.json": "{}" });
    const file = join(root, ".opencode/todo-reminder.json");
    symlinkSync(file, file);
    const env = { XDG_CONFIG_HOME: join(root, "none") };
    const [source, ...rest] = optionSources({ directory: root }, undefined, env);
    assert.deepEqual(rest, []);
    assert.equal(source.file, file);
    assert.match(source.error, /ELOOP/);
  });

  it("the second argument of the plugin, whatever it is", () => {
    const env = { XDG_CONFIG_HOME: folderWith({}) };
    const cycle = {};
    cycle.self = cycle;
    for (const [options, expected] of [
      [{ idleDelayMs: 1 }, { text: '{"idleDelayMs":1}' }],
      ["text", { text: '"text"' }],
      [[], { text: "[]" }],
      [0, { text: "0" }],
      [() => {}, { text: "() => {}" }],
      [{ debug: undefined }, { text: "{}" }],
    ]) {
      const { file, ...source } = optionSources(
        { directory: env.XDG_CONFIG_HOME },
        options,
        env,
      )[0];
      assert.deepEqual(source, expected);
      assert.equal(file, "opencode.json");
    }
    for (const options of [cycle, { a: 1n }, revoked()]) {
      const [{ error, text }] = optionSources({ directory: env.XDG_CONFIG_HOME }, options, env);
      assert.equal(text, undefined);
      assert.equal(typeof error, "string");
      assert.ok(error.length > 0);
    }
  });
});

describe("options are obeyed", () => {
  /** The delay in force: what the alarm after an idle says. */
  function delayWith(files, options, env = {}) {
    const root = folderWith(files);
    const sources = optionSources({ directory: root }, options, {
      XDG_CONFIG_HOME: join(root, "config"),
      ...env,
    });
    // Loads the module, if no test did before.
    new FakeHost().start(root);
    const core = new Core(sources);
    const lines = core.start().effects.map(({ message }) => message);
    core.handle({ type: "sessionBusy", session: "ses_1" }, 0);
    const { wakeAt } = core.handle({ type: "sessionIdle", session: "ses_1" }, 1_000);
    core.free();
    return { delay: wakeAt - 1_000, lines };
  }
  const GLOBAL = "config/opencode/todo-reminder.json";
  const PROJECT = ".opencode/todo-reminder.json";

  it("the later place wins, field by field", () => {
    const one = { [GLOBAL]: '{ "idleDelayMs": 1 }' };
    const two = { ...one, [PROJECT]: '{ "idleDelayMs": 2 }' };
    const three = { ...two, [`${PROJECT}c`]: '{ "idleDelayMs": 3 }' };
    assert.deepEqual(delayWith({}), { delay: 500, lines: [] });
    assert.deepEqual(delayWith(one), { delay: 1, lines: [] });
    assert.deepEqual(delayWith(two), { delay: 2, lines: [] });
    assert.deepEqual(delayWith(three), { delay: 3, lines: [] });
    assert.deepEqual(delayWith(three, { debug: false }), { delay: 3, lines: [] });
    assert.deepEqual(delayWith(three, { idleDelayMs: 4 }), { delay: 4, lines: [] });
  });

  it("with comments, trailing commas and a byte order mark", () => {
    const text = '\ufeff{\n// soon\n"idleDelayMs": 7, /* ms */\n}\r\n';
    assert.deepEqual(delayWith({ [PROJECT]: text }), { delay: 7, lines: [] });
  });

  it("around 200 kB of junk, in one line", () => {
    const junk = Buffer.alloc(
      200_000,
      Uint8Array.from({ length: 251 }, (_, index) => index * 7),
    );
    for (const text of [junk, "[".repeat(200_000), `{"a":`.repeat(40_000), '"'.repeat(200_000)]) {
      const { delay, lines } = delayWith({ [GLOBAL]: '{ "idleDelayMs": 9 }', [PROJECT]: text });
      assert.equal(delay, 9);
      assert.equal(lines.length, 1);
      assert.ok(lines[0].length < 1_500, `${lines[0].length} characters`);
    }
  });

  it("around a place that is broken, which is named", () => {
    for (const text of ["", "{", "[]", "nonsense", null, '{"idleDelayMs":"soon"}']) {
      const { delay, lines } = delayWith({ [GLOBAL]: '{ "idleDelayMs": 9 }', [PROJECT]: text });
      assert.equal(delay, 9);
      assert.equal(lines.length, 1);
      assert.match(lines[0], /todo-reminder\.json: .*expected .*, found /);
    }
  });
});

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
