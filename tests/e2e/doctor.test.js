// The program for the person, as npm installed it, beside a real opencode: what the doctor says of an installation is what
// that opencode does with it.

import assert from "node:assert/strict";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startModel, text, todos } from "./model.js";
import { opencodeBinary, startOpencode } from "./opencode.js";
import { NAME, packedPlugin } from "./package.js";

const OPTIONS = path.join(".opencode", "todo-reminder.json");
/** An option that there is not: the doctor says so for each copy. */
const STRANGE = { sotrange: 1 };
let model;
let folder;
let program;

before(async () => {
  model = await startModel();
  folder = await packedPlugin();
  program = path.join(folder, "..", ".bin", NAME);
});

after(() => model?.stop());

/** Starts an opencode, runs `steps` in it and stops it again. */
async function within(setup, steps) {
  model.play([]);
  const opencode = await startOpencode({ model, ...setup });
  try {
    await steps(opencode);
  } finally {
    await opencode.stop();
  }
  assert.deepEqual(model.faults, []);
}

/** What `doctor --json` says, and its exit code. */
async function doctor(opencode) {
  const args = ["doctor", "--json", "--opencode", opencodeBinary()];
  const { code, stdout, stderr } = await opencode.run(args, { program });
  assert.notEqual(stdout, "", stderr);
  const report = JSON.parse(stdout);
  return { code, report, codes: report.findings.map(({ code }) => code) };
}

/** How many copies of the plugin opencode loads; the doctor must see as many, each with the strange option. */
async function copies(opencode) {
  const { plugin } = await opencode.api("GET", "/config");
  const { report } = await doctor(opencode);
  const told = report.findings.filter(({ message }) => message.includes("sotrange"));
  assert.equal(told.length, plugin.length, "the doctor and opencode must see the same copies");
  const isTwice = report.findings.some(({ code }) => code === "plugin-twice");
  assert.equal(isTwice, plugin.length > 1);
  return plugin.length;
}

test("an installation that works is healthy", () =>
  within(
    {
      plugin: [[folder, { idleDelayMs: 50 }]],
      projectFiles: { [OPTIONS]: { messageFormat: "go on" } },
    },
    async (opencode) => {
      const { code, report } = await doctor(opencode);
      assert.deepEqual([code, report.healthy, report.findings], [0, true, []]);
      assert.equal(report.opencode.path, opencodeBinary());
      assert.equal(report.opencode.fits, true);
      assert.deepEqual(
        report.files.map(({ sets }) => sets),
        [{ messageFormat: "go on" }, { idleDelayMs: 50 }],
      );
      const { code: printed, stdout } = await opencode.run(
        ["doctor", "--opencode", opencodeBinary()],
        { program },
      );
      assert.equal(printed, 0);
      assert.match(stdout, /\nNothing is wrong\.\n$/);

      model.play([
        todos(["a", "pending"]),
        text("Later."),
        todos(["a", "completed"]),
        text("Done."),
      ]);
      const session = await opencode.session();
      await session.say("build it");
      assert.equal((await session.reminded()).text, "go on");
      await opencode.settled();
    },
  ));

test("two copies are not", () =>
  within(
    {
      plugin: [
        [folder, STRANGE],
        [path.join(folder, "js", "index.js"), STRANGE],
      ],
    },
    async (opencode) => {
      assert.equal(await copies(opencode), 2);
      const { code, report } = await doctor(opencode);
      assert.deepEqual([code, report.healthy], [1, false]);
    },
  ));

test("bad options are not, and the doctor says of them what the plugin says", () =>
  within(
    {
      plugin: [folder],
      globalFiles: { "todo-reminder.jsonc": "{ nonsense" },
      projectFiles: { [OPTIONS]: { idleDelayMs: "soon", cooldownMs: 1, messageFormat: "{totl}" } },
    },
    async (opencode) => {
      const { code, codes, report } = await doctor(opencode);
      assert.equal(code, 1);
      assert.deepEqual(codes, ["options", "options", "options", "options"]);
      const log = [];
      for (const { message } of report.findings) {
        const [, about] = /todo-reminder\.(json.*)/.exec(message);
        log.push(await opencode.logged(new RegExp(literal(about.replaceAll('"', '\\"')))));
      }
      assert.equal(new Set(log).size, 4);
    },
  ));

test("the doctor sees the copies that opencode loads", async () => {
  const named = (spec) => ({ plugin: [[spec, STRANGE]] });
  // An empty list in a later file hides the ones before it from this API, though not from opencode.
  const unnamed = { plugin: undefined };
  const index = path.join(folder, "js", "index.js");
  const url = pathToFileURL(folder).href;
  const link = path.join(await mkdtemp(path.join(tmpdir(), "todo-keeper-link-")), "link");
  await symlink(folder, link);
  for (const [count, setup] of [
    [1, { plugin: [[`${folder}/`, STRANGE]] }],
    [2, { plugin: [folder, `${folder}/`].map((spec) => [spec, STRANGE]) }],
    [2, { plugin: [folder, link].map((spec) => [spec, STRANGE]) }],
    [1, { plugin: [folder, url].map((spec) => [spec, STRANGE]) }],
    [1, { plugin: [[NAME, STRANGE]], packages: { [NAME]: folder } }],
    [2, { plugin: [NAME, folder].map((spec) => [spec, STRANGE]), packages: { [NAME]: folder } }],
    // Of the lists of the global files one counts; of those of a project's files both do.
    [
      1,
      {
        config: unnamed,
        globalFiles: { "opencode.json": named(folder), "opencode.jsonc": named(index) },
      },
    ],
    [
      2,
      {
        config: unnamed,
        projectFiles: { "opencode.jsonc": named(folder), ".opencode/opencode.json": named(index) },
      },
    ],
    [2, { globalFiles: { "config.json": named(folder) }, plugin: [[index, STRANGE]] }],
  ])
    await within(setup, async (opencode) => {
      assert.equal(await copies(opencode), count, JSON.stringify(setup));
    });
  await rm(path.dirname(link), { recursive: true });
});

test("a tarball named by its path is not loaded", () =>
  within(
    { plugin: [[`./${NAME}.tgz`, STRANGE]], projectFiles: { [`${NAME}.tgz`]: "" } },
    async (opencode) => {
      model.play([todos(["a", "pending"]), text("Later.")]);
      await (await opencode.session()).say("build it");
      await opencode.settled();
      assert.deepEqual(await opencode.logLines(), []);
      assert.deepEqual((await doctor(opencode)).codes, ["plugin-broken"]);
    },
  ));

test("what init writes is healthy, and changes nothing", () =>
  within({ plugin: [[folder, { idleDelayMs: 50 }]], serve: false }, async (opencode) => {
    const { code, stdout } = await opencode.run(["init"], { program });
    assert.deepEqual([code, stdout.startsWith("written: ")], [0, true]);
    await opencode.start();
    model.play([todos(["a", "pending"]), text("Later."), todos(["a", "completed"]), text("Done.")]);
    const session = await opencode.session();
    await session.say("build it");
    assert.match((await session.reminded()).text, /^Your todo list is not finished: 0 of 1/);
    await opencode.settled();
    assert.deepEqual(opencode.toasts, []);
    const { code: healthy, codes } = await doctor(opencode);
    assert.deepEqual([healthy, codes], [0, []]);
  }));

const literal = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
