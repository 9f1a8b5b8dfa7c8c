// `doctor`: what it finds in a home and a project, and what it says.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HOOKS } from "../../js/cli/doctor.js";
import { parse } from "../../js/cli/jsonc.js";
import { MANIFEST, options } from "../../js/cli/package.js";
import { isWithin } from "../../js/cli/version.js";
import { Machine, VERSION } from "./cli.js";
import { FakeHost } from "./host.js";

const NAME = "opencode-todo-keeper";
/** A whole installation: this checkout. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const PROJECT_CONFIG = "project/opencode.json";
const GLOBAL_CONFIG = "home/.config/opencode/opencode.json";
const OPTIONS = "project/.opencode/todo-reminder.json";
const INSTALLED = `home/.cache/opencode/packages/${NAME}@latest/node_modules/${NAME}`;

/** Runs `act` on a machine of its own with these files. */
function on(files, act) {
  const machine = new Machine(files);
  try {
    return act(machine);
  } finally {
    machine.remove();
  }
}

/** What the doctor says of these files. */
const examined = (files, options) => on(files, (machine) => machine.doctor(options));

describe("a healthy installation", () => {
  it("by its path, with options beside it and in files", () => {
    const files = {
      [PROJECT_CONFIG]: `{ // mine\n"plugin": [["${ROOT}", { "idleDelayMs": 7, "debug": true }],], }`,
      "home/.config/opencode/todo-reminder.jsonc": '{ "idleDelayMs": 1, "useToasts": false, }',
      [OPTIONS]: { idleDelayMs: 2, nudge: { enabled: false } },
    };
    on(files, (machine) => {
      const { status, report } = machine.doctor();
      assert.equal(status, 0);
      assert.equal(report.healthy, true);
      assert.deepEqual(report.findings, []);
      assert.equal(report.version, MANIFEST.version);
      assert.equal(report.directory, machine.project);
      assert.deepEqual(report.opencode, {
        path: join(machine.root, "bin", "opencode"),
        version: VERSION,
        needed: MANIFEST.engines.opencode,
        fits: true,
      });
      assert.ok(report.hooks.every(({ exists }) => exists === true));
      const [plugin, ...others] = report.plugins;
      assert.deepEqual(others, []);
      assert.equal(plugin.kind, "path");
      assert.equal(plugin.version, MANIFEST.version);
      const here = join(machine.root, PROJECT_CONFIG);
      assert.equal(plugin.file, here);
      assert.deepEqual(report.files, [
        {
          file: join(machine.global, "todo-reminder.jsonc"),
          sets: { idleDelayMs: 1, useToasts: false },
          wrong: [],
        },
        {
          file: join(machine.root, OPTIONS),
          sets: { idleDelayMs: 2, "nudge.enabled": false },
          wrong: [],
        },
        { file: here, sets: { idleDelayMs: 7, debug: true }, wrong: [] },
      ]);
      assert.deepEqual(report.options.idleDelayMs, { value: 7, from: here });
      assert.deepEqual(report.options["nudge.enabled"].value, false);
      assert.deepEqual(report.options.enabled, { value: true, from: null });
      assert.deepEqual(
        Object.keys(report.options),
        options().map(([name]) => name),
      );
    });
  });

  it("however it is named", () => {
    const tarball = `${NAME}@file:${ROOT}/package.json`;
    for (const spec of [NAME, `${NAME}@${MANIFEST.version}`, tarball]) {
      const { report } = examined({ [GLOBAL_CONFIG]: { plugin: [spec] } });
      assert.equal(report.healthy, true, spec);
      assert.equal(report.plugins[0].kind, "npm");
      assert.deepEqual(
        report.findings.map(({ code }) => code),
        ["plugin-not-fetched"],
      );
    }
    for (const spec of [ROOT, `${ROOT}/js/index.js`, pathToFileURL(ROOT).href, "../link"])
      on({ [PROJECT_CONFIG]: { plugin: [spec] } }, (machine) => {
        symlinkSync(ROOT, join(machine.root, "link"));
        const { report, codes } = machine.doctor();
        assert.deepEqual([report.healthy, codes], [true, []], spec);
        assert.equal(report.plugins[0].version, MANIFEST.version);
      });
  });

  it("in any of the places that opencode reads", () => {
    const config = { plugin: [ROOT] };
    const places = [
      [GLOBAL_CONFIG],
      ["home/.config/opencode/opencode.jsonc"],
      ["home/.config/opencode/config.json"],
      ["home/.opencode/opencode.json"],
      ["project/opencode.jsonc"],
      ["project/.opencode/opencode.jsonc"],
      ["opencode.json"],
      ["xdg/opencode/opencode.json", { XDG_CONFIG_HOME: "xdg" }],
      ["own/opencode.json", { OPENCODE_CONFIG_DIR: "own" }],
      ["own.json", { OPENCODE_CONFIG: "own.json" }],
    ];
    for (const [file, env = {}] of places)
      on({ [file]: config }, (machine) => {
        const inside = Object.entries(env).map(([name, path]) => [name, join(machine.root, path)]);
        const { codes, report } = machine.doctor({ env: Object.fromEntries(inside) });
        assert.deepEqual(codes, [], file);
        assert.equal(report.plugins[0].file, join(machine.root, file));
      });
    const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
    assert.deepEqual(examined({}, { env }).codes, []);
    const text = '{ "plugin": ["{env:WHERE}"] }';
    assert.deepEqual(examined({ [GLOBAL_CONFIG]: text }, { env: { WHERE: ROOT } }).codes, []);
    const loader = `export { default } from "${ROOT}/js/index.js";`;
    const auto = examined({
      "project/.opencode/plugins/keeper.js": loader.replace(ROOT, `/x/${NAME}`),
    });
    assert.deepEqual(auto.codes, []);
  });

  it("in a subfolder of a worktree, whose root it looks at and not above", () => {
    const files = {
      "opencode.json": { plugin: [NAME] },
      "project/.git/HEAD": "",
      [PROJECT_CONFIG]: { plugin: [ROOT] },
      "project/.opencode/todo-reminder.json": { idleDelayMs: 1, debug: true },
      "project/a/b/.opencode/todo-reminder.json": { idleDelayMs: 2 },
    };
    const { report, codes } = examined(files, { folder: "project/a/b" });
    assert.deepEqual(codes, []);
    assert.equal(report.plugins.length, 1);
    assert.equal(report.options.idleDelayMs.value, 2);
    assert.equal(report.options.debug.value, true);
  });

  it("as npm would have installed it", () => {
    const files = {
      [GLOBAL_CONFIG]: { plugin: [NAME] },
      [`${INSTALLED}/package.json`]: { name: NAME, version: "0.0.9" },
    };
    for (const file of ["index.js", "keeper.js"]) files[`${INSTALLED}/js/${file}`] = "";
    for (const file of [".js", "_bg.wasm"]) files[`${INSTALLED}/pkg/todo_keeper${file}`] = "";
    const { report, codes } = examined(files);
    assert.deepEqual([report.healthy, codes], [true, ["plugin-version"]]);
    assert.match(report.findings[0].message, /0\.0\.9/);
  });
});

describe("an installation that is not healthy", () => {
  /** The doctor finds exactly this problem, and says what to do. */
  function ill(files, code, options) {
    const { status, report, codes } = examined(files, options);
    assert.equal(status, 1);
    assert.equal(report.healthy, false);
    assert.deepEqual(codes, [code]);
    assert.ok(report.findings[0].fix);
    return report.findings[0].message;
  }

  it("names no plugin", () => {
    ill({}, "plugin-missing");
    ill({ [PROJECT_CONFIG]: { plugin: ["another"] } }, "plugin-missing");
    ill({ [PROJECT_CONFIG]: "" }, "plugin-missing");
  });

  it("has a list of plugins with which opencode does not start", () => {
    for (const [plugin, said] of [
      [NAME, /plugin: expected a list, found "opencode-todo-keeper"/],
      [null, /plugin: expected a list, found null/],
      [["another", 7, {}], /plugin\[1\]: expected .*, found 7; plugin\[2\]: expected/],
      [[ROOT, { debug: true }], /plugin\[1\]: expected .*, found \{"debug":true\}/],
      [[[ROOT]], /plugin\[0\]: expected "NAME" or \["NAME", \{ options \}\]/],
      [[["another", "x"]], /plugin\[0\]/],
      [[[ROOT, {}, 3]], /plugin\[0\]/],
    ])
      assert.match(ill({ [PROJECT_CONFIG]: { plugin } }, "config-refused"), said);
  });

  it("names a part of the package that is no plugin, or a tarball that is not there", () => {
    const part = { [PROJECT_CONFIG]: { plugin: [`${ROOT}/js/keeper.js`] } };
    assert.match(ill(part, "plugin-broken"), /no plugin/);
    const gone = { [PROJECT_CONFIG]: { plugin: [`${NAME}@file:/nowhere/x.tgz`] } };
    assert.match(ill(gone, "plugin-broken"), /no such file: \/nowhere\/x\.tgz/);
    const named = { [PROJECT_CONFIG]: { plugin: [`${NAME}@file:/tarballs/x.tgz`] } };
    assert.match(examined(named).report.findings[0].fix, /^install the package again/);
    const mistyped = examined({ [PROJECT_CONFIG]: { plugin: ["./nothing", ROOT] } });
    assert.deepEqual([mistyped.status, mistyped.codes], [0, ["entry-broken"]]);
  });

  it("has options where nobody reads them, or that turn it off", () => {
    const healthy = { [PROJECT_CONFIG]: { plugin: [ROOT] } };
    for (const file of ["project/todo-reminder.json", "project/.opencode/todo-keeper.jsonc"]) {
      const { status, codes } = examined({ ...healthy, [file]: {} });
      assert.deepEqual([status, codes], [0, ["options-misplaced"]], file);
    }
    // In the folder of the global files they are read.
    const inside = {
      [GLOBAL_CONFIG]: { plugin: [ROOT] },
      "home/.config/opencode/todo-reminder.json": { debug: true },
    };
    const { codes } = examined(inside, { folder: "home/.config/opencode" });
    assert.ok(!codes.includes("options-misplaced"));
    for (const options of [
      { triggerStatuses: [] },
      { maxAutoSubmitsPerTodo: 0 },
      { maxRemindersPerMessage: 0 },
    ]) {
      const { status, codes, report } = examined({ ...healthy, [OPTIONS]: options });
      assert.deepEqual([status, codes], [0, ["disabled"]], JSON.stringify(options));
      assert.match(report.findings[0].message, /no todo is ever reminded of/);
    }
  });

  it("has a placeholder that does not exist, which is a note", () => {
    const { status, codes, report } = examined({
      [PROJECT_CONFIG]: { plugin: [ROOT] },
      [OPTIONS]: { messageFormat: "{totl}" },
    });
    assert.deepEqual([status, codes, report.findings[0].level], [0, ["options"], "note"]);
    assert.match(report.findings[0].message, /found \{totl\}/);
  });

  it("is told what holds until an option is right", () => {
    const files = { [PROJECT_CONFIG]: { plugin: [ROOT] }, [OPTIONS]: { idleDelayMs: "soon" } };
    assert.match(
      examined(files).report.findings[0].fix,
      /until then idleDelayMs is 500, the default/,
    );
  });

  it("is told where its JSON breaks", () => {
    const files = { [PROJECT_CONFIG]: '{\n // mine\n  "plugin" oops\n}' };
    const message = ill(files, "config-unreadable");
    if (!process.versions.bun) assert.match(message, /line 3 column 12/);
  });

  it("names it twice, by two names", () => {
    const twice = [
      {
        [GLOBAL_CONFIG]: { plugin: [ROOT] },
        [PROJECT_CONFIG]: { plugin: [`${ROOT}/js/index.js`] },
      },
      { [PROJECT_CONFIG]: { plugin: [ROOT, `${ROOT}/`] } },
      { [PROJECT_CONFIG]: { plugin: [ROOT] }, "project/.opencode/plugin/x.ts": `import "${NAME}"` },
    ];
    for (const files of twice) assert.match(ill(files, "plugin-twice"), /2 copies/);
  });

  it("but not by the same name: the last entry counts alone", () => {
    const files = {
      [GLOBAL_CONFIG]: { plugin: [[ROOT, { idleDelayMs: "soon" }]] },
      [PROJECT_CONFIG]: { plugin: [[ROOT, { idleDelayMs: 3 }]] },
    };
    const { report, codes } = examined(files);
    assert.deepEqual([report.healthy, codes], [true, ["plugin-overridden"]]);
    assert.equal(report.options.idleDelayMs.value, 3);
    const names = { [GLOBAL_CONFIG]: { plugin: [`${NAME}@0.1.0`, NAME] } };
    assert.ok(examined(names).codes.includes("plugin-overridden"));
  });

  it("names a tarball, nothing, or half a package", () => {
    const tarball = ill({ [PROJECT_CONFIG]: { plugin: [`./${NAME}-1.tgz`] } }, "plugin-broken");
    assert.match(tarball, /tarball/);
    const nothing = ill({ [PROJECT_CONFIG]: { plugin: [`./${NAME}`] } }, "plugin-broken");
    assert.match(nothing, /no such file/);
    const half = {
      [PROJECT_CONFIG]: { plugin: ["./half"] },
      "project/half/package.json": { name: NAME, version: "1.0.0" },
      "project/half/js/index.js": "",
    };
    assert.match(ill(half, "plugin-broken"), /lacks js\/keeper\.js.*wasm/);
  });

  it("names the predecessor too", () => {
    const files = { [GLOBAL_CONFIG]: { plugin: ["opencode-todo-reminder@0.0.5", ROOT] } };
    ill(files, "predecessor");
  });

  it("has a configuration that cannot be read", () => {
    const healthy = { [GLOBAL_CONFIG]: { plugin: [ROOT] } };
    for (const content of [
      "{",
      "nonsense",
      '{ "plugin": [,] }',
      null,
      Buffer.alloc(200_000, 0xff),
    ]) {
      const message = ill({ ...healthy, [PROJECT_CONFIG]: content }, "config-unreadable");
      assert.match(message, /opencode\.json: /);
    }
  });

  it("has options that are wrong, in the words of the plugin", () => {
    const healthy = { [PROJECT_CONFIG]: { plugin: [ROOT] } };
    for (const [content, said] of [
      [{ idleDelayMs: "soon" }, /idleDelayMs: expected a whole number .* found "soon"/],
      [{ idleDelay: 1 }, /the nearest is idleDelayMs/],
      [{ cooldownMs: 1 }, /idleDelayMs and maxAutoSubmitsPerTodo instead/],
      ["{", /expected JSON/],
      ["[".repeat(200_000), /expected JSON/],
      [null, /a folder of that name/],
    ])
      assert.match(ill({ ...healthy, [OPTIONS]: content }, "options"), said);
    const beside = { [PROJECT_CONFIG]: { plugin: [[ROOT, { debugs: true }]] } };
    assert.match(ill(beside, "options"), /the nearest is debug/);
  });

  it("has options that are right beside ones that are wrong", () => {
    const files = {
      [PROJECT_CONFIG]: { plugin: [ROOT] },
      [OPTIONS]: { idleDelayMs: "soon", debug: true, nudge: { afterRequests: 0, enabled: false } },
    };
    const { report, codes } = examined(files);
    assert.deepEqual(codes, ["options", "options"]);
    assert.deepEqual(report.files[0].sets, { debug: true, "nudge.enabled": false });
    assert.equal(report.options.idleDelayMs.value, 500);
  });

  it("has no opencode, an old one, or one that says nothing", () => {
    on({ [PROJECT_CONFIG]: { plugin: [ROOT] } }, (machine) => {
      for (const [script, code] of [
        ["echo 1.17.9", "opencode-version"],
        ["echo 2.0.0", "opencode-version"],
        ["echo 1.18.0-beta.1", "opencode-version"],
        ["echo hello", "opencode-silent"],
        ["exit 1", "opencode-silent"],
      ]) {
        machine.installOpencode(script);
        const { status, codes } = machine.doctor();
        assert.deepEqual([status, codes], [1, [code]], script);
      }
      machine.installOpencode("echo broken libc >&2; exit 3");
      assert.match(machine.doctor().report.findings[0].message, /ended with 3 .*"broken libc"/);
      const { stdout } = machine.run(["doctor", "--opencode", "/nope"]);
      assert.match(stdout, /\/nope --version names no version: it cannot be run/);
      machine.installOpencode("echo 0.0.0-dev-202611010000");
      assert.deepEqual(machine.doctor().codes, ["opencode-unknown"]);
      machine.uninstallOpencode();
      const { status, codes, report } = machine.doctor();
      assert.deepEqual([status, codes], [1, ["opencode-missing"]]);
      assert.ok(report.hooks.every(({ exists }) => exists === null));
    });
  });

  it("has plugins turned off", () => {
    const files = { [PROJECT_CONFIG]: { plugin: [ROOT] } };
    ill(files, "plugins-off", { env: { OPENCODE_PURE: "1" } });
    const off = examined({ ...files, [OPTIONS]: { enabled: false } });
    assert.deepEqual([off.report.healthy, off.codes], [true, ["disabled"]]);
  });
});

describe("what the doctor prints", () => {
  let machine;
  before(() => {
    machine = new Machine({
      [PROJECT_CONFIG]: { plugin: [[ROOT, { idleDelayMs: 7 }]] },
      [OPTIONS]: { idleDelayMs: 2, useToasts: true },
      "home/.config/opencode/todo-reminder.json": { "a\u001b[2J\u202e": 1 },
    });
  });
  after(() => machine.remove());

  it("names what was looked at, what it changes, what is wrong and what to do", () => {
    const { status, stdout, stderr } = machine.run(["doctor"]);
    assert.deepEqual([status, stderr], [1, ""]);
    for (const part of [
      /^opencode {2}1\.18\.33, needed >=1\.18\.0 <2/m,
      /^hooks {5}all \d+ exist$/m,
      /^plugin .*, version \d/m,
      /^ +idleDelayMs: 2 \(default 500; .*opencode\.json wins\)$/m,
      /^ +idleDelayMs: 7 \(default 500\)$/m,
      /^ +useToasts: true \(the default\)$/m,
      /^ +changes nothing$/m,
      /^problem: .*todo-reminder\.json: .*expected an option that exists/m,
      /^ {2}to do: correct it/m,
      /^1 problem was found\.$/m,
    ])
      assert.match(stdout, part);
  });

  it("holds nothing that moves the cursor", () => {
    assert.doesNotMatch(machine.run(["doctor"]).stdout, /[^\P{C}\n]/u);
  });

  it("is short when all is well", () => {
    rmSync(join(machine.global, "todo-reminder.json"));
    const { status, stdout } = machine.run(["doctor"]);
    assert.equal(status, 0);
    assert.match(stdout, /\n\nNothing is wrong\.\n$/);
  });

  it("leaves everything as it was", () => {
    const folder = "fresh";
    mkdirSync(join(machine.root, folder));
    machine.run(["doctor"], { folder });
    assert.deepEqual(readdirSync(join(machine.root, folder)), []);
  });
});

describe("the doctor knows", () => {
  it("the fields that the README tells of", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const [, table] = /`--json` prints one object:\n\n([\s\S]*?)\n\n/.exec(readme);
    const told = table
      .split("\n")
      .slice(2)
      .flatMap((row) => row.split("|")[1].match(/\w+/g));
    assert.deepEqual(Object.keys(examined({}).report).sort(), told.sort());
  });

  it("every hook that the plugin uses", () => {
    const hooks = new FakeHost().start(ROOT, { warnOrphanedTodos: true });
    assert.deepEqual(Object.keys(hooks).sort(), [...HOOKS].sort());
    hooks.dispose();
  });

  it("ranges of versions", () => {
    for (const [version, isIn] of [
      ["1.18.0", true],
      ["1.18.33", true],
      ["1.99.0", true],
      ["1.18.33+build", true],
      ["1.17.99", false],
      ["2.0.0", false],
      ["10.0.0", false],
      ["1.19.0-rc.1", false],
      ["1.18", false],
    ])
      assert.equal(isWithin(version, ">=1.18.0 <2"), isIn, version);
    assert.equal(isWithin("1.18.0", "^1.18.0"), false);
  });

  it("JSON with comments", () => {
    const texts = ['{"a//b":"/*c*/,}","d":[1,/**/],}', "\ufeff// x\n[1, // y\n 2,\n]", '"\\"//"'];
    assert.deepEqual(texts.map(parse), [{ "a//b": "/*c*/,}", d: [1] }, [1, 2], '"//']);
    for (const bad of ["", "{,}", "[1,,]", "{a:1}", '"'.repeat(200_001), "/*", "[1 /* ]"])
      assert.throws(() => parse(bad), SyntaxError, bad.slice(0, 20));
  });
});
