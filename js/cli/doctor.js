// `doctor`: what an installation is like, what is wrong with it, and what to do.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { globalFolder, optionSources } from "../host.js";
import { entriesOf, obeyed } from "./entries.js";
import { MANIFEST } from "./package.js";
import { arePluginsOff, isTarball, places, projectOf } from "./places.js";
import { changesOf, inForce, isOnlySpoken } from "./sources.js";
import { valueText } from "./value.js";
import { opencodeOf } from "./version.js";

/** @typedef {import("./entries.js").Entry} Entry */
/** @typedef {import("./places.js").Place} Place */
/** @typedef {import("../../pkg/todo_keeper.js").Source} Source */
/** @typedef {import("./sources.js").Changes} Changes */
/** @typedef {import("./version.js").Opencode} Opencode */
/**
 * Something that the person should know. A problem makes the installation unhealthy, a note does not.
 * @typedef {{ level: "problem" | "note", code: string, message: string, fix: string | null }} Finding
 */
/**
 * @typedef {object} Report
 * @property {boolean} healthy whether there is no problem
 * @property {string} version of this package
 * @property {string} directory
 * @property {string} worktree
 * @property {Opencode} opencode
 * @property {{ name: string, exists: boolean | null }[]} hooks
 * @property {Entry[]} plugins every entry that names this plugin
 * @property {Changes[]} files every place of options that exists
 * @property {Record<string, { value: unknown, from: string | null }>} options the ones in force
 * @property {Finding[]} findings
 */

/** The plugin whose place this one takes; with both, both remind. */
const PREDECESSOR = "opencode-todo-reminder";

/** Every hook of opencode that the plugin uses; each exists in the versions that `engines` names. */
export const HOOKS = [
  "config",
  "event",
  "chat.message",
  "command.execute.before",
  "experimental.chat.messages.transform",
  "experimental.session.compacting",
  "tool.execute.before",
  "tool.execute.after",
  "tool",
  "dispose",
];

/**
 * @param {string} directory the folder that opencode is started in
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [program] opencode itself, when it is not to be looked for
 * @returns {Report}
 */
export function examine(directory, env, program) {
  const project = projectOf(directory);
  const opencode = opencodeOf(env, program);
  const found = places(project, env);
  const entries = entriesOf(found, env);
  const plugins = entries.filter(({ name }) => name === MANIFEST.name);
  const asked = obeyed(plugins);
  const loaded = asked.filter(({ problem }) => problem === undefined);
  const sources = sourcesOf(project, loaded, env);
  const { files, broken } = optionsOf(sources);
  const options = inForce(files);
  const findings = [
    ...aboutOpencode(opencode, env),
    ...found.flatMap(aboutPlace),
    ...aboutPlugins({ plugins, asked, loaded }, globalFolder(env), found.every(isWhole)),
    ...aboutStrangers(obeyed(entries)),
    ...aboutMisplaced(project, globalFolder(env), sources),
    ...aboutPredecessor(obeyed(entries)),
    ...broken,
    ...aboutOptions(files, options),
  ];
  return {
    healthy: findings.every(({ level }) => level !== "problem"),
    version: MANIFEST.version,
    ...project,
    opencode,
    hooks: HOOKS.map((name) => ({ name, exists: opencode.fits })),
    plugins,
    files,
    options,
    findings,
  };
}

/**
 * @param {Opencode} opencode
 * @param {NodeJS.ProcessEnv} env
 */
function aboutOpencode({ path, version, needed, fits, error }, env) {
  /** @type {Finding[]} */
  const findings = [];
  if (path === null)
    findings.push(
      problem(
        "opencode-missing",
        "no opencode was found on PATH",
        "install it, or name the program: doctor --opencode FILE",
      ),
    );
  else if (version === null)
    findings.push(
      problem(
        "opencode-silent",
        `${path} --version names no version: ${error}`,
        "install opencode again, or name another: doctor --opencode FILE",
      ),
    );
  else if (fits === false)
    findings.push(
      problem(
        "opencode-version",
        `expected opencode ${needed}, found ${version}: it does not load the plugin`,
        "opencode upgrade",
      ),
    );
  else if (fits === null)
    findings.push(
      note("opencode-unknown", `opencode ${version} is a build that was not tried`, null),
    );
  if (arePluginsOff(env))
    findings.push(
      problem("plugins-off", "OPENCODE_PURE is set: opencode loads no plugins", "unset it"),
    );
  return findings;
}

/**
 * @param {Place} place
 * @returns {Finding[]}
 */
function aboutPlace({ file, error, refused }) {
  if (error !== undefined)
    return [problem("config-unreadable", `${file}: ${error}`, "correct the file")];
  if (refused === undefined) return [];
  const message = `${file}: opencode refuses to start: ${refused.join("; ")}`;
  return [problem("config-refused", message, "correct the file")];
}

/** @param {Place} place */
const isWhole = ({ error, refused }) => error === undefined && refused === undefined;

/**
 * @param {{ plugins: Entry[], asked: Entry[], loaded: Entry[] }} entries all of them, the ones that opencode obeys, and those
 *   of them that it can load
 * @param {string} folder
 * @param {boolean} areAllRead whether no place is broken: the plugin may be named in one that is
 */
function aboutPlugins({ plugins, asked, loaded }, folder, areAllRead) {
  if (asked.length === 0 && !areAllRead) return [];
  if (asked.length === 0)
    return [
      problem(
        "plugin-missing",
        `${MANIFEST.name} is in no configuration that holds here`,
        `opencode plugin ${MANIFEST.name}, or { "plugin": ["${MANIFEST.name}"] } in opencode.json or ${folder}/opencode.json`,
      ),
    ];
  /** @type {Finding[]} */
  const findings = asked.flatMap(aboutEntry);
  if (loaded.length > 1)
    findings.push(
      problem(
        "plugin-twice",
        `opencode loads ${loaded.length} copies: ${loaded.map(shown).join("; ")}`,
        "keep one of these entries and remove the others",
      ),
    );
  for (const entry of plugins.filter((entry) => !asked.includes(entry)))
    findings.push(
      note(
        "plugin-overridden",
        `${shown(entry)} has no effect, nor have its options: a later entry names the same`,
        "remove it",
      ),
    );
  return findings;
}

/**
 * @param {Entry} entry
 * @returns {Finding[]}
 */
function aboutEntry(entry) {
  if (entry.problem !== undefined) {
    const fix = isTarball(entry.target ?? "")
      ? `write ${MANIFEST.name}@file:${entry.target} instead`
      : `install the package again, or name its folder or its name: "${MANIFEST.name}"`;
    return [problem("plugin-broken", `${shown(entry)}: ${entry.problem}`, fix)];
  }
  if (entry.kind === "npm" && entry.target === undefined)
    return [
      note("plugin-not-fetched", `${shown(entry)}: opencode fetches it when it next starts`, null),
    ];
  if (entry.version !== undefined && entry.version !== MANIFEST.version)
    return [
      note(
        "plugin-version",
        `${shown(entry)} is version ${entry.version}; this is the doctor of ${MANIFEST.version}`,
        `name the version: "${MANIFEST.name}@${MANIFEST.version}"`,
      ),
    ];
  return [];
}

/** @param {Entry[]} loaded */
function aboutPredecessor(loaded) {
  return loaded
    .filter(({ name }) => name === PREDECESSOR)
    .map((entry) =>
      problem(
        "predecessor",
        `${shown(entry)} is loaded too: both remind`,
        `remove ${PREDECESSOR}; its options and files are obeyed by ${MANIFEST.name}`,
      ),
    );
}

/**
 * Entries that lead nowhere and do not tell whether they were to be this plugin.
 * @param {Entry[]} entries
 */
function aboutStrangers(entries) {
  return entries
    .filter(({ name, problem }) => name === "" && problem !== undefined)
    .map((entry) =>
      note("entry-broken", `${shown(entry)}: ${entry.problem}`, "correct or remove it"),
    );
}

/** What a file of options is called, or may be thought to be called. */
const OPTIONS_FILES = ["todo-reminder", "todo-keeper", MANIFEST.name].flatMap((name) =>
  [".json", ".jsonc"].map((end) => name + end),
);

/**
 * Files of options where nobody reads them.
 * @param {import("./places.js").Project} project
 * @param {string} global
 * @param {Source[]} sources the ones that are read
 */
function aboutMisplaced({ directory, worktree }, global, sources) {
  const read = new Set(sources.map(({ file }) => file));
  const roots = [directory, worktree];
  const folders = new Set([...roots, ...roots.map((root) => join(root, ".opencode")), global]);
  return [...folders]
    .flatMap((folder) => OPTIONS_FILES.map((name) => join(folder, name)))
    .filter((file) => !read.has(file) && existsSync(file))
    .map((file) =>
      note(
        "options-misplaced",
        `${file} is not read`,
        `options go into .opencode/todo-reminder.jsonc or ${join(global, "todo-reminder.jsonc")}`,
      ),
    );
}

/**
 * The places of options, those beside the plugin last.
 * @param {import("./places.js").Project} project
 * @param {Entry[]} loaded
 * @param {NodeJS.ProcessEnv} env
 * @returns {Source[]}
 */
function sourcesOf(project, loaded, env) {
  const beside = loaded.flatMap(({ file, options }) =>
    optionSources(project, options, env)
      .filter((source) => source.file === "opencode.json")
      .map((source) => ({ ...source, file })),
  );
  return [...optionSources(project, undefined, env), ...beside];
}

/**
 * @param {Source[]} sources
 * @returns {{ files: Changes[], broken: Finding[] }}
 */
function optionsOf(sources) {
  try {
    return { files: changesOf(sources), broken: [] };
  } catch (error) {
    const message = `the core of this package cannot be loaded: ${error}`;
    const fix = `install ${MANIFEST.name} again`;
    return { files: [], broken: [problem("core-broken", message, fix)] };
  }
}

/**
 * @param {Changes[]} files
 * @param {Report["options"]} options
 */
function aboutOptions(files, options) {
  const findings = files.flatMap(({ wrong }) => wrong.map((line) => aboutLine(line, options)));
  const off = SWITCHED_OFF.flatMap(([name, isOff, what]) => {
    const option = options[name];
    if (!option || !isOff(option.value)) return [];
    return [
      note("disabled", `${what}: "${name}": ${valueText(option.value)} in ${option.from}`, null),
    ];
  });
  return [...findings, ...off];
}

/**
 * Values that turn the plugin or a part of it off, which the person may not have meant.
 * @type {[name: string, isOff: (value: any) => boolean, what: string][]}
 */
const SWITCHED_OFF = [
  ["enabled", (isOn) => !isOn, "the plugin is turned off"],
  ["triggerStatuses", (statuses) => statuses.length === 0, "no todo is ever reminded of"],
  ["maxAutoSubmitsPerTodo", (most) => most === 0, "no todo is ever reminded of"],
  ["maxRemindersPerMessage", (most) => most === 0, "no todo is ever reminded of"],
];

/**
 * @param {string} line what the plugin says about an option
 * @param {Report["options"]} options
 */
function aboutLine(line, options) {
  if (isOnlySpoken(line)) return note("options", line, "correct it, if it was to be filled in");
  const [name = "", held] =
    Object.entries(options).find(([name]) => line.includes(`: ${name}: `)) ?? [];
  const until = held
    ? `until then ${name} is ${valueText(held.value)}, ${held.from === null ? "the default" : `from ${held.from}`}`
    : "until then it is passed over";
  return problem("options", line, `correct it; ${until}`);
}

/** @param {Entry} entry */
const shown = ({ spec, file }) => `${spec} in ${file}`;

/**
 * @param {string} code
 * @param {string} message
 * @param {string | null} fix
 * @returns {Finding}
 */
const problem = (code, message, fix) => ({ level: "problem", code, message, fix });

/**
 * @param {string} code
 * @param {string} message
 * @param {string | null} fix
 * @returns {Finding}
 */
const note = (code, message, fix) => ({ level: "note", code, message, fix });
