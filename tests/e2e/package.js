// The plugin as people get it: packed by npm, then installed from that tarball by npm.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CACHE = path.join(ROOT, ".cache", "package");
// What can end up in the tarball.
const SOURCES = [
  "package.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "schema.json",
  "js",
  "pkg",
];

/** The plugin's name, as it stands in `opencode.json`. */
export const NAME = "opencode-todo-keeper";

/**
 * The folder that npm installed the packed plugin into. Packing takes seconds and every test file runs in a process
 * of its own, so the result is kept until a source changes.
 */
export async function packedPlugin() {
  const folder = path.join(CACHE, await fingerprint());
  const installed = path.join(folder, "node_modules", NAME);
  if (await exists(installed)) return installed;
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(path.join(CACHE, "unfinished-"));
  await install(await pack(unfinished), unfinished);
  await keep(unfinished, folder);
  return installed;
}

async function pack(folder) {
  const { stdout } = await npm(
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    ROOT,
  );
  return path.join(folder, JSON.parse(stdout)[0].filename);
}

async function install(tarball, folder) {
  await npm(
    [
      "install",
      "--offline",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--prefix",
      folder,
      tarball,
    ],
    folder,
  );
}

const npm = (args, cwd) => run("npm", args, { cwd });

// Another test file may have finished the same package meanwhile; the two are equal.
async function keep(unfinished, folder) {
  try {
    await rename(unfinished, folder);
  } catch (error) {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    await rm(unfinished, { recursive: true });
  }
}

async function fingerprint() {
  const hash = createHash("sha256");
  for (const name of SOURCES) await addTo(hash, path.join(ROOT, name));
  return hash.digest("hex").slice(0, 16);
}

async function addTo(hash, file) {
  try {
    hash.update(`${file}\0`).update(await readFile(file));
  } catch (error) {
    if (error.code === "ENOENT") return;
    if (error.code !== "EISDIR") throw error;
    for (const name of (await readdir(file)).sort()) await addTo(hash, path.join(file, name));
  }
}

async function exists(file) {
  return readdir(file).then(
    () => true,
    () => false,
  );
}
