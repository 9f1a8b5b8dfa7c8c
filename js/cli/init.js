// `init`: an options file to begin with.

import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { globalFolder } from "../host.js";
import { SCHEMA } from "./package.js";

/** @typedef {import("./package.js").Option} Option */

/**
 * Writes the file unless there is one.
 * @param {string} directory
 * @param {NodeJS.ProcessEnv} env
 * @param {boolean} isGlobal whether it is to be the one for all projects
 * @returns {{ file: string, refused?: string }} why nothing was written, if so
 */
export function write(directory, env, isGlobal) {
  const folder = isGlobal ? globalFolder(env) : join(directory, ".opencode");
  const file = join(folder, "todo-reminder.jsonc");
  try {
    const present = [file, join(folder, "todo-reminder.json")].find(exists);
    if (present) return { file, refused: `${present} exists already; it was left as it is` };
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, template(), { flag: "wx" });
    return { file };
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const isFileInTheWay = code === "ENOTDIR" || code === "EEXIST";
    const refused = isFileInTheWay
      ? `expected a folder ${folder}, found a file in its way; move that file and try again`
      : message;
    return { file, refused };
  }
}

/**
 * Every option with its default, as a comment: a file that is not changed sets nothing, and so hides no other file and no
 * better default of a later version.
 */
export function template() {
  return [
    "// The options of opencode-todo-keeper. Take the // away from an option to set it; what stands there is its default.",
    "{",
    `  "$schema": ${JSON.stringify(SCHEMA.$id)},`,
    ...Object.entries(SCHEMA.properties).flatMap(([name, option]) =>
      name === "$schema" ? [] : ["", ...optionLines(name, option, "  ")],
    ),
    "}",
    "",
  ].join("\n");
}

/**
 * @param {string} name
 * @param {Option} option
 * @param {string} indent
 * @returns {string[]}
 */
function optionLines(name, option, indent) {
  const description = `${indent}// ${option.description}${rangeText(option)}`;
  if (!option.properties) {
    const value = JSON.stringify(option.default).replaceAll('","', '", "');
    return [description, `${indent}// "${name}": ${value},`];
  }
  const parts = Object.entries(option.properties).flatMap(([part, option]) =>
    optionLines(part, option, `${indent}  `),
  );
  return [description, `${indent}"${name}": {`, ...parts, `${indent}},`];
}

/** @param {Option} option */
function rangeText({ minimum, maximum }) {
  return minimum === undefined ? "" : ` From ${minimum} to ${maximum}.`;
}

/** @param {string} file */
function exists(file) {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
