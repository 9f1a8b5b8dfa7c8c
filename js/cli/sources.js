// What each place of options changes, as the core that the plugin runs understands it.

import { SturdyCore } from "../core.js";
import { parse } from "./jsonc.js";
import { options } from "./package.js";

/** @typedef {import("../../pkg/todo_keeper.js").Source} Source */
/**
 * One place of options.
 * @typedef {object} Changes
 * @property {string} file
 * @property {Record<string, unknown>} sets the options that it sets validly, by name
 * @property {string[]} wrong what the plugin says about it
 */

/**
 * @param {Source[]} sources the later ones first to be obeyed
 * @returns {Changes[]}
 * @throws when the core cannot be loaded
 */
export function changesOf(sources) {
  return sources.map((source) => ({
    file: source.file,
    sets: Object.fromEntries(fieldsOf(source).filter(isTaken)),
    wrong: complaints(source),
  }));
}

/**
 * The options in force and where each comes from: a file, or null for a default.
 * @param {Changes[]} changes
 * @returns {Record<string, { value: unknown, from: string | null }>}
 */
export function inForce(changes) {
  return Object.fromEntries(
    options().map(([name, option]) => {
      const last = changes.findLast(({ sets }) => name in sets);
      return [name, { value: last ? last.sets[name] : option.default, from: last?.file ?? null }];
    }),
  );
}

/**
 * What the core says of a source.
 * @param {Source} source
 * @returns {string[]}
 */
function complaints(source) {
  /** @type {unknown} */
  let trap;
  const core = new SturdyCore([source], (error) => {
    trap = error;
  });
  const step = core.call((core) => core.start());
  if (!step) return [`${source.file}: the core trapped: ${trap}`];
  return step.effects.flatMap((effect) => (effect.type === "log" ? [effect.message] : []));
}

/**
 * Whether the core takes an option alone; a format with an unknown placeholder is taken, though it is spoken of.
 * @param {[name: string, value: unknown]} field
 */
function isTaken([name, value]) {
  const [first = "", part] = name.split(".");
  const text = JSON.stringify({ [first]: part === undefined ? value : { [part]: value } });
  const lines = complaints({ file: "", text });
  return lines.every(isOnlySpoken);
}

/**
 * Whether the core obeys the option that it speaks of: an unknown placeholder stays in the text as it is.
 * @param {string} line
 */
export function isOnlySpoken(line) {
  return line.includes("(the text is used as it is)");
}

/**
 * The options that a source names, by name.
 * @param {Source} source
 * @returns {[string, unknown][]}
 */
function fieldsOf({ text, error }) {
  if (text === undefined || error !== undefined) return [];
  let object;
  try {
    object = parse(text);
  } catch {
    return [];
  }
  if (typeof object !== "object" || object === null) return [];
  const known = options();
  return known.flatMap(([name]) => {
    const [first = "", part] = name.split(".");
    const value = part === undefined ? object[first] : object[first]?.[part];
    return value === undefined ? [] : [[name, value]];
  });
}
