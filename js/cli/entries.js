// The entries under opencode's key `plugin`: which are this plugin, and what opencode loads for them.

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { MANIFEST } from "./package.js";
import { isTarball, upFrom } from "./places.js";

/** @typedef {import("./places.js").Place} Place */
/**
 * An entry under the key `plugin`, or a file in a folder of plugins.
 * @typedef {object} Entry
 * @property {string} file the place that it stands in
 * @property {string} spec as it stands there
 * @property {"npm" | "path"} kind
 * @property {string} key opencode loads the last of the entries that have the same one
 * @property {string} name the package's name; empty when there is no telling
 * @property {unknown} [options] what stands beside it
 * @property {string} [target] the file or folder that opencode loads; for an npm package, once it is installed
 * @property {string} [version] of the package that is there
 * @property {string} [problem] why opencode cannot load it
 */

/** What opencode looks for in a folder that has no package.json. */
const INDEX_FILES = ["index.ts", "index.tsx", "index.js", "index.mjs", "index.cjs"];

/**
 * The entries of all places in their order.
 * @param {Place[]} places
 * @param {NodeJS.ProcessEnv} env
 * @returns {Entry[]}
 */
export function entriesOf(places, env) {
  return places.flatMap(({ file, plugins }) =>
    plugins.flatMap((plugin) => {
      const [spec, options] = Array.isArray(plugin) ? plugin : [plugin];
      if (typeof spec !== "string") return [];
      const entry = isPath(spec) ? pathEntry(file, spec) : npmEntry(file, spec, env);
      return [options === undefined ? entry : { ...entry, options }];
    }),
  );
}

/**
 * The entries that opencode obeys: of several with the same key the last one.
 * @param {Entry[]} entries
 */
export function obeyed(entries) {
  return entries.filter(
    ({ key }, at) => entries.findLastIndex((other) => other.key === key) === at,
  );
}

/** @param {string} spec */
function isPath(spec) {
  return spec.startsWith("file://") || spec.startsWith(".") || isAbsolute(spec);
}

/**
 * @param {string} file
 * @param {string} spec
 * @returns {Entry}
 */
function pathEntry(file, spec) {
  const target = pathOf(file, spec);
  const key = keyOf(target, spec);
  /** @type {Entry} */
  const entry = { file, spec, kind: "path", key, name: "", target };
  if (isTarball(target)) {
    const name = target.includes(MANIFEST.name) ? MANIFEST.name : "";
    return { ...entry, name, problem: "opencode loads no tarball by its path, and says nothing" };
  }
  if (!existsSync(target)) {
    const name = target.includes(MANIFEST.name) ? MANIFEST.name : "";
    return { ...entry, name, problem: "there is no such file or folder" };
  }
  const real = realpathSync(target);
  const found = packageAround(real);
  if (!found) return { ...entry, name: importedBy(real) };
  const { folder, about } = found;
  const isPlugin = real === folder || real === join(folder, "js", "index.js");
  if (about.name === MANIFEST.name && !isPlugin)
    return { ...entry, ...about, problem: "that part of the package is no plugin" };
  return { ...entry, ...about, ...missing(folder, about.name) };
}

/**
 * A URL: of a folder's index file, when it has one and no package.json.
 * @param {string} target
 * @param {string} spec
 */
function keyOf(target, spec) {
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory();
  if (!isFolder) return spec.startsWith("file://") ? spec : pathToFileURL(target).href;
  const index = INDEX_FILES.find((name) => existsSync(join(target, name)));
  const isPackage = existsSync(join(target, "package.json"));
  return pathToFileURL(isPackage || !index ? target : join(target, index)).href;
}

/**
 * @param {string} file
 * @param {string} spec
 */
function pathOf(file, spec) {
  // Not resolved when it is absolute: to opencode a slash at the end makes it another one.
  if (!spec.startsWith("file://")) return isAbsolute(spec) ? spec : resolve(dirname(file), spec);
  try {
    return fileURLToPath(spec);
  } catch {
    return spec;
  }
}

/**
 * @param {string} file
 * @param {string} spec
 * @param {NodeJS.ProcessEnv} env
 * @returns {Entry}
 */
function npmEntry(file, spec, env) {
  const [, name = spec, version] = /^(@[^/]+\/[^@]+|[^@]+)(?:@(.*))?$/.exec(spec) ?? [];
  const alias = /^npm:(@[^/]+\/[^@]+|[^@]+)/.exec(version ?? "")?.[1];
  /** @type {Entry} */
  const entry = { file, spec, kind: "npm", key: name, name: alias ?? name };
  const cache = join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "opencode", "packages");
  const folder = join(cache, version ? spec : `${name}@latest`, "node_modules", name);
  const found = existsSync(folder) ? packageAround(folder) : undefined;
  if (found)
    return { ...entry, ...found.about, target: folder, ...missing(found.folder, found.about.name) };
  const source = /^file:(?:\/\/)?(\/.*)$/.exec(version ?? "")?.[1];
  const isThere = source === undefined || existsSync(source);
  return isThere ? entry : { ...entry, problem: `there is no such file: ${source}` };
}

/**
 * The package that a path is in.
 * @param {string} path
 * @returns {{ folder: string, about: { name: string, version: string } } | undefined}
 */
function packageAround(path) {
  const isFolder = statSync(path).isDirectory();
  const first = isFolder ? path : dirname(path);
  for (const folder of upFrom(first)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      // opencode writes a nameless one into its own folders.
      if (typeof name === "string") return { folder, about: { name, version: String(version) } };
    } catch {
      // None here, or none that can be read.
    }
    const isLoadedAlone = isFolder && folder === first;
    if (isLoadedAlone && INDEX_FILES.some((index) => existsSync(join(folder, index)))) break;
  }
  return undefined;
}

/**
 * The name of this plugin when the file, or the folder's index file, imports it.
 * @param {string} path
 */
function importedBy(path) {
  const files = statSync(path).isDirectory() ? INDEX_FILES.map((name) => join(path, name)) : [path];
  const mentions = new RegExp(
    `(?:from|import)\\b[^;\\n]*["'][^"'\\n]*${MANIFEST.name}[^"'\\n]*["']`,
  );
  const imports = files.some(
    (file) => existsSync(file) && mentions.test(readFileSync(file, "utf8")),
  );
  return imports ? MANIFEST.name : "";
}

/**
 * What this plugin's package lacks, if anything.
 * @param {string} folder
 * @param {string} name
 * @returns {{ problem?: string }}
 */
function missing(folder, name) {
  if (name !== MANIFEST.name) return {};
  const needed = ["js/index.js", "js/keeper.js", "pkg/todo_keeper.js", "pkg/todo_keeper_bg.wasm"];
  const lacking = needed.filter((file) => !existsSync(join(folder, file)));
  return lacking.length === 0 ? {} : { problem: `the package lacks ${lacking.join(", ")}` };
}
