// What npm packs: every file that the entry needs, and nothing else.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The most bytes of the tarball; the module's own budget is 80 kB gzipped, the rest is the shim and the command line. */
const MOST_BYTES = 140_000;

const EXPECTED = [
  "LICENSE",
  "js/args.js",
  "js/cli.js",
  "js/cli/doctor.js",
  "js/cli/entries.js",
  "js/cli/init.js",
  "js/cli/jsonc.js",
  "js/cli/package.js",
  "js/cli/places.js",
  "js/cli/report.js",
  "js/cli/sources.js",
  "js/cli/value.js",
  "js/cli/version.js",
  "js/command.js",
  "js/core.js",
  "js/events.js",
  "js/host.js",
  "js/index.d.ts",
  "js/index.js",
  "js/keeper.js",
  "js/orphans.js",
  "js/registry.js",
  "js/request.js",
  "js/run.js",
  "js/shapes.js",
  "js/turns.js",
  "package.json",
  "pkg/todo_keeper.d.ts",
  "pkg/todo_keeper.js",
  "pkg/todo_keeper_bg.wasm",
  "schema.json",
];

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** The files that `file` names, and the ones that those name: imports of both kinds, and files found beside a module. */
function needed(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  if (!file.endsWith(".js")) return found;
  const text = readFileSync(file, "utf8");
  const names = [
    ...text.matchAll(/^(?:import|export)\b[^"'`;]*?["'](\.[^"']+)["'];?$/gm),
    ...text.matchAll(/\bimport\(["'](\.[^"']+)["']\)(?!\.)/g),
    ...text.matchAll(/\bnew URL\(["'](\.[^"']+)["'], import\.meta\.url\)/g),
  ];
  for (const [, name] of names) needed(resolve(dirname(file), name), found);
  return found;
}

/** The bare names that the files import. */
function imported(files) {
  return files
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => [
      ...readFileSync(file, "utf8").matchAll(/^import\b[^"'`;]*?["']([^."'][^"']*)["'];?$/gm),
    ])
    .map(([, name]) => name);
}

describe("the package", () => {
  const plugin = needed(join(ROOT, "js/index.js"));
  const files = [...needed(join(ROOT, manifest.bin), new Set(plugin))];
  let packed;
  before(() => {
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const { stdout, stderr } = spawnSync("npm", args, { cwd: ROOT, encoding: "utf8" });
    assert.ok(stdout, stderr);
    packed = JSON.parse(stdout)[0];
  });

  it("is walked to its end by this test", () => {
    const names = files.map((file) => relative(ROOT, file));
    for (const name of ["js/keeper.js", "js/shapes.js", "pkg/todo_keeper_bg.wasm"])
      assert.ok(plugin.has(join(ROOT, name)), `${name} is missing in ${names}`);
    for (const name of ["js/cli/doctor.js", "js/cli/jsonc.js", "js/cli/init.js"])
      assert.ok(names.includes(name), `${name} is missing in ${names}`);
  });

  it("does not load the program for the person when opencode loads the plugin", () => {
    for (const file of plugin) assert.doesNotMatch(relative(ROOT, file), /cli/);
  });

  it("holds every file that the entry and the program need", () => {
    const paths = packed.files.map(({ path }) => path);
    for (const file of files) {
      assert.ok(existsSync(file), file);
      assert.ok(paths.includes(relative(ROOT, file)), relative(ROOT, file));
    }
  });

  it("holds exactly these files", () => {
    // npm packs a README by itself, once there is one.
    const readme = existsSync(join(ROOT, "README.md")) ? ["README.md"] : [];
    assert.deepEqual(packed.files.map(({ path }) => path).sort(), [...readme, ...EXPECTED].sort());
  });

  it("is small", () => {
    assert.ok(packed.size <= MOST_BYTES, `${packed.size} bytes of ${MOST_BYTES}`);
  });

  it("needs nothing but Node's own modules", () => {
    assert.deepEqual(manifest.dependencies ?? {}, {});
    assert.deepEqual(manifest.peerDependencies ?? {}, {});
    for (const name of imported(files)) assert.match(name, /^node:/);
  });

  it("leads opencode and Node to the entry", () => {
    assert.equal(manifest.main, "./js/index.js");
    assert.equal(manifest.exports["./server"].default, "./js/index.js");
    assert.equal(manifest.exports["."].default, "./js/index.js");
    assert.equal(manifest.exports["./tui"], undefined);
    assert.equal(manifest.exports["./schema.json"], "./schema.json");
    assert.match(readFileSync(join(ROOT, manifest.bin), "utf8"), /^#!\/usr\/bin\/env node\n/);
    for (const { types } of [manifest.exports["."], manifest.exports["./server"]])
      assert.ok(existsSync(join(ROOT, types)));
    assert.ok(manifest.engines.opencode && manifest.engines.node);
  });
});
