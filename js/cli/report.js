// A report for a person to read.

import { MANIFEST, options } from "./package.js";
import { valueText } from "./value.js";

/** @typedef {import("./doctor.js").Report} Report */

/**
 * @param {Report} report
 * @returns {string}
 */
export function textOf(report) {
  const { version, directory, opencode, hooks, plugins, files, findings } = report;
  const lines = [
    `${MANIFEST.name} ${version}, in ${directory}`,
    "",
    row("opencode", `${opencode.version ?? "not found"}, needed ${opencode.needed}`, opencode.path),
    row("hooks", hooksText(hooks)),
    ...(plugins.length === 0 ? [row("plugin", "not configured")] : []),
    ...plugins.map(({ spec, file, version }) =>
      row("plugin", `${spec}${version ? `, version ${version}` : ""}`, file),
    ),
    ...(files.length === 0 ? [row("options", "no file: the defaults")] : []),
    ...files.flatMap((changes) => [row("options", changes.file), ...changed(changes, report)]),
    "",
    ...findings.flatMap(({ level, message, fix }) => [
      `${level}: ${message}`,
      ...(fix === null ? [] : [`  to do: ${fix}`]),
    ]),
    verdict(findings),
  ];
  return lines.map(plain).join("\n");
}

/**
 * @param {string} title
 * @param {string} text
 * @param {string | null} [where]
 */
function row(title, text, where) {
  return `${title.padEnd(9)} ${text}${where ? ` (${where})` : ""}`;
}

/** @param {Report["hooks"]} hooks */
function hooksText(hooks) {
  if (hooks.every(({ exists }) => exists)) return `all ${hooks.length} exist`;
  return "not known: that depends on opencode's version";
}

/**
 * What a place of options changes.
 * @param {import("./sources.js").Changes} changes
 * @param {Report} report
 */
function changed({ file, sets }, report) {
  const defaults = Object.fromEntries(options());
  const lines = Object.entries(sets).map(([name, value]) => {
    const from = report.options[name]?.from;
    const later = from === file ? "" : `; ${from} wins`;
    const usual = valueText(defaults[name]?.default);
    const text = valueText(value);
    return `            ${name}: ${text} (${text === usual ? "the default" : `default ${usual}`}${later})`;
  });
  return lines.length > 0 ? lines : ["            changes nothing"];
}

/** @param {Report["findings"]} findings */
function verdict(findings) {
  const count = findings.filter(({ level }) => level === "problem").length;
  if (count === 0) return "Nothing is wrong.";
  return count === 1 ? "1 problem was found." : `${count} problems were found.`;
}

/** Names of files and what stands in them must not move the cursor. @param {string} line */
const plain = (line) => line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ");
