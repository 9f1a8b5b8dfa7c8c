// Where opencode 1.18 reads its configuration and its plugins from, in the order in which it does.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, parse as parsePath } from "node:path";
import { globalFolder } from "../host.js";
import { parse } from "./jsonc.js";
import { valueText } from "./value.js";

/** @typedef {{ directory: string, worktree: string }} Project */
/**
 * A place that names plugins.
 * @typedef {object} Place
 * @property {string} file a path, or `OPENCODE_CONFIG_CONTENT`
 * @property {unknown[]} plugins the list under its key `plugin`
 * @property {string} [error] why it could not be read
 * @property {string[]} [refused] what of its key `plugin` opencode refuses, in which case it does not start
 */

/**
 * The project as opencode sees it from `directory`: outside of a repository its worktree is the root of the file system.
 * @param {string} directory
 * @returns {Project}
 */
export function projectOf(directory) {
  const root = upFrom(directory).find((folder) => existsSync(join(folder, ".git")));
  return { directory, worktree: root ?? parsePath(directory).root };
}

/**
 * Every place that exists, the later ones first to be obeyed.
 * @param {Project} project
 * @param {NodeJS.ProcessEnv} env
 * @returns {Place[]}
 */
export function places(project, env) {
  const own = env["OPENCODE_CONFIG_DIR"];
  const isProjectRead = !isOn(env["OPENCODE_DISABLE_PROJECT_CONFIG"]);
  const upwards = upFrom(project.directory, project.worktree);
  const global = globalFolder(env);
  const folders = [
    ...(isProjectRead ? upwards.map((folder) => join(folder, ".opencode")) : []),
    join(homedir(), ".opencode"),
    ...(own ? [own] : []),
  ].filter((folder, at, all) => all.indexOf(folder) === at);
  return [
    ...globalPlace(global, env),
    ...(env["OPENCODE_CONFIG"] ? filePlaces([env["OPENCODE_CONFIG"]], env) : []),
    ...(isProjectRead ? upwards.toReversed() : []).flatMap((folder) => pairIn(folder, env)),
    ...pluginFolder(global),
    ...folders.flatMap((folder) => [...pairIn(folder, env), ...pluginFolder(folder)]),
    ...contentPlace(env),
    ...pairIn(managedFolder(), env),
  ];
}

/**
 * The three global files are one to opencode: of two lists of plugins the later one replaces the other.
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
function globalPlace(folder, env) {
  const names = ["config.json", "opencode.json", "opencode.jsonc"];
  const found = filePlaces(
    names.map((name) => join(folder, name)),
    env,
  );
  const last = found.findLast(({ plugins }) => plugins.length > 0);
  return found.filter((place) => place.error !== undefined || place === last);
}

/**
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
function pairIn(folder, env) {
  const files = ["opencode.json", "opencode.jsonc"].map((name) => join(folder, name));
  return filePlaces(files, env);
}

/**
 * @param {string[]} files
 * @param {NodeJS.ProcessEnv} env
 * @returns {Place[]}
 */
function filePlaces(files, env) {
  return files.flatMap((file) => {
    try {
      return [placeOf(file, readFileSync(file, "utf8"), env)];
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === "ENOENT" || code === "ENOTDIR") return [];
      return [{ file, plugins: [], error: message }];
    }
  });
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Place[]}
 */
function contentPlace(env) {
  const text = env["OPENCODE_CONFIG_CONTENT"];
  return text ? [placeOf("OPENCODE_CONFIG_CONTENT", text, env)] : [];
}

/**
 * @param {string} file
 * @param {string} text
 * @param {NodeJS.ProcessEnv} env
 * @returns {Place}
 */
function placeOf(file, text, env) {
  if (text === "") return { file, plugins: [] };
  try {
    const { plugin } = parse(text.replace(/\{env:([^}]+)\}/g, (_, name) => env[name] ?? "")) ?? {};
    const refused = refusals(plugin);
    return {
      file,
      plugins: Array.isArray(plugin) ? plugin : [],
      ...(refused.length > 0 && { refused }),
    };
  } catch (error) {
    return { file, plugins: [], error: /** @type {Error} */ (error).message };
  }
}

/**
 * What of the value of the key `plugin` opencode refuses. It takes a list whose items are names, or pairs of a name and an object.
 * @param {unknown} plugin
 * @returns {string[]}
 */
function refusals(plugin) {
  if (plugin === undefined) return [];
  if (!Array.isArray(plugin)) return [`plugin: expected a list, found ${valueText(plugin)}`];
  return plugin.flatMap((item, at) => {
    const [name, options] = Array.isArray(item) ? item : [item, {}];
    const isPair = !Array.isArray(item) || item.length === 2;
    const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
    if (isPair && typeof name === "string" && isObject) return [];
    const expected = 'expected "NAME" or ["NAME", { options }]';
    return [`plugin[${at}]: ${expected}, found ${valueText(item)}`];
  });
}

/**
 * The files that opencode loads as plugins without being told to.
 * @param {string} folder
 * @returns {Place[]}
 */
function pluginFolder(folder) {
  return ["plugin", "plugins"].flatMap((name) => {
    const parent = join(folder, name);
    return filesIn(parent).map((file) => ({ file: parent, plugins: [join(parent, file)] }));
  });
}

/** @param {string} folder */
function filesIn(folder) {
  try {
    return readdirSync(folder)
      .filter((name) => /\.[tj]s$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** Where an administrator puts what holds for everybody. */
function managedFolder() {
  if (process.platform === "darwin") return "/Library/Application Support/opencode";
  if (process.platform === "win32")
    return join(process.env["ProgramData"] ?? "C:\\ProgramData", "opencode");
  return "/etc/opencode";
}

/**
 * `folder` and the ones above it, the nearest first, up to `last`.
 * @param {string} folder
 * @param {string} [last]
 * @returns {string[]}
 */
export function upFrom(folder, last) {
  const above = dirname(folder);
  return folder === last || above === folder ? [folder] : [folder, ...upFrom(above, last)];
}

/** @param {string | undefined} value */
const isOn = (value) => value?.toLowerCase() === "true" || value === "1";

/** @param {NodeJS.ProcessEnv} env */
export const arePluginsOff = (env) => isOn(env["OPENCODE_PURE"]);

/** @param {string} file */
export const isTarball = (file) => /\.(tgz|tar\.gz)$/.test(basename(file));
