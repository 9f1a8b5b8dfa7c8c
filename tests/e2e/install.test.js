// How the package comes to people: by its name from a registry, here one on loopback, and as a tarball; into opencode, npm
// and Bun.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { nativeProgram } from "../../js/dev/project.js";
import { startModel, text, todos } from "./model.js";
import { opencodeBinary, startOpencode } from "./opencode.js";
import { NAME, packedPlugin } from "./package.js";
import { startRegistry } from "./registry.js";
import { IDLE_DELAY_MS } from "./suite.js";

const LIST = `/${NAME}`;
let model;
let registry;
let opencode;
let tarball;
let manifest;

before(async () => {
  model = await startModel();
  const folder = await packedPlugin();
  manifest = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  tarball = path.join(folder, "..", "..", `${NAME}-${manifest.version}.tgz`);
  registry = await startRegistry({ manifest, tarball });
});

after(async () => {
  registry?.stop();
  await model?.stop();
});

/** Prepares an opencode that knows no registry but that on loopback; runs `steps` in it and stops it again. */
async function within(setup, steps) {
  model.play([]);
  registry.requests.length = 0;
  opencode = await startOpencode({
    model,
    env: { npm_config_registry: registry.url },
    serve: false,
    ...setup,
  });
  try {
    await steps();
  } finally {
    await opencode.stop();
  }
  assert.deepEqual(model.faults, []);
}

/** The agent stops early; the plugin must remind it. */
async function isReminded() {
  model.play([todos(["a", "pending"]), text("Later."), todos(["a", "completed"]), text("Done.")]);
  const session = await opencode.session();
  await session.say("build it");
  assert.match((await session.reminded()).text, /^Your todo list is not finished: 0 of 1/);
  await opencode.settled();
}

test("opencode installs the plugin by its name, and it works", () =>
  within({ plugin: [[NAME, { idleDelayMs: IDLE_DELAY_MS }]] }, async () => {
    await opencode.start();
    await isReminded();
    assert.ok(registry.requests.includes(LIST), registry.requests);
    assert.ok(
      registry.requests.some((route) => route.endsWith(".tgz")),
      registry.requests,
    );
  }));

test("a version that there is not is not loaded, and opencode goes on", () =>
  within({ plugin: [`${NAME}@99.0.0`] }, async () => {
    await opencode.start();
    model.play([todos(["a", "pending"]), text("Later.")]);
    const session = await opencode.session();
    await session.say("build it");
    await opencode.settled();
    assert.deepEqual(await session.reminders(), []);
    assert.ok(registry.requests.includes(LIST), registry.requests);
    assert.ok(!registry.requests.some((route) => route.endsWith(".tgz")), registry.requests);
  }));

test("`opencode plugin` installs it and adds it to the config", () =>
  within({}, async () => {
    const { code, stdout, stderr } = await opencode.run(["plugin", NAME]);
    assert.equal(code, 0, stdout + stderr);
    const configs = [path.join(opencode.project, ".opencode"), opencode.project];
    const texts = await Promise.all(
      configs.flatMap((folder) =>
        ["opencode.json", "opencode.jsonc"].map((name) =>
          readFile(path.join(folder, name), "utf8").catch(() => ""),
        ),
      ),
    );
    assert.ok(
      texts.some((config) => config.includes(`"${NAME}"`)),
      texts.join("\n"),
    );
    await opencode.start();
    await isReminded();
  }));

for (const [title, install] of [
  ["npm from the tarball", () => ["npm", ["install", "--offline", tarball]]],
  ["npm by its name", () => ["npm", ["install", NAME]]],
  ["Bun from the tarball", () => [nativeProgram("bun"), ["add", tarball]]],
  ["Bun by its name", () => [nativeProgram("bun"), ["add", NAME]]],
])
  test(`installed into an empty project by ${title}, it is loaded by Node and Bun`, () =>
    // With BUN_BE_BUN opencode is the Bun that it loads plugins with.
    within({ env: { npm_config_registry: registry.url, BUN_BE_BUN: "1" } }, async () => {
      const folder = path.join(opencode.home, "empty");
      await mkdir(folder);
      await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
      await writeFile(path.join(folder, "load.js"), LOAD);
      const [program, args] = install();
      await succeeds(program, args, folder);
      for (const runtime of [process.execPath, nativeProgram("bun"), opencodeBinary()]) {
        const stdout = await succeeds(runtime, ["load.js"], folder);
        assert.deepEqual(JSON.parse(stdout), EXPECTED, runtime);
      }
    }));

/** Loads the package as a program would that knows its name alone, and puts one todo back. */
const LOAD = `
import * as entry from "${NAME}";
import * as server from "${NAME}/server";
import schema from "${NAME}/schema.json" with { type: "json" };
const client = {
  session: { todo: async () => ({ data: [{ content: "b", status: "pending", priority: "low" }] }) },
  app: { log: async () => ({ data: true }) },
};
const hooks = await entry.default({ client, directory: process.cwd(), worktree: process.cwd() });
const args = { todos: [{ content: "a", status: "pending", priority: "low" }] };
await hooks["tool.execute.before"]({ tool: "todowrite", sessionID: "s", callID: "c" }, { args });
await hooks.dispose?.();
console.log(JSON.stringify({
  exports: Object.keys(entry),
  isSame: entry.default === server.default,
  title: schema.title !== undefined,
  todos: args.todos.map(({ content }) => content),
}));
`;

const EXPECTED = { exports: ["default"], isSame: true, title: true, todos: ["a", "b"] };

/** Runs a program to its end in `folder` and returns what it printed. */
async function succeeds(program, args, folder) {
  const { code, stdout, stderr } = await opencode.run(args, { program, folder });
  assert.equal(code, 0, `${program} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}
