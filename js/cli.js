#!/usr/bin/env node
// `npx opencode-todo-keeper`: a program for the person. opencode never loads it.

import { parseArgs } from "node:util";

const USAGE = `opencode-todo-keeper: keeps an opencode agent on its todo list

  npx opencode-todo-keeper doctor [--json] [--opencode FILE]
      checks the installation for the folder that it is run in and says what to do;
      its exit code is 1 when something is wrong
  npx opencode-todo-keeper init [--global]
      writes .opencode/todo-reminder.jsonc with every option, its default and what it sets;
      --global writes the one for all projects. It never overwrites anything
  npx opencode-todo-keeper --version
`;

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit code: 0 when all is well, 1 when something is wrong, 2 when `args` make no sense
 */
async function main(args) {
  /** @type {{ values: Record<string, any>, positionals: string[] }} */
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: "boolean" },
        global: { type: "boolean" },
        opencode: { type: "string" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const unknown = /^Unknown option '([^']+)'/.exec(message)?.[1];
    return misused(unknown ? `there is no option ${unknown}` : message);
  }
  const { values, positionals } = parsed;
  if (values["help"]) {
    console.log(USAGE);
    return 0;
  }
  if (values["version"]) {
    const { MANIFEST } = await import("./cli/package.js");
    console.log(MANIFEST.version);
    return 0;
  }
  const [command, ...rest] = positionals;
  if (command === undefined) return misused("expected doctor or init, found nothing");
  if (rest.length > 0) return misused(`expected one command, found ${positionals.join(" ")}`);
  const stranger = Object.keys(values).find((name) => !OPTIONS[command]?.includes(name));
  if (OPTIONS[command] && stranger) return misused(`${command} has no option --${stranger}`);
  if (command === "doctor") return doctor(values);
  if (command === "init") return init(values);
  return misused(`expected doctor or init, found ${command}`);
}

/** The options of each command. @type {Record<string, string[]>} */
const OPTIONS = { doctor: ["json", "opencode"], init: ["global"] };

/** @param {string} why */
function misused(why) {
  console.error(`error: ${why}\n\n${USAGE}`);
  return 2;
}

/** @param {Record<string, any>} values */
async function doctor(values) {
  const { examine } = await import("./cli/doctor.js");
  const { textOf } = await import("./cli/report.js");
  const report = examine(process.cwd(), process.env, values["opencode"]);
  console.log(values["json"] ? JSON.stringify(report, null, 2) : textOf(report));
  return report.healthy ? 0 : 1;
}

/** @param {Record<string, any>} values */
async function init(values) {
  const { write } = await import("./cli/init.js");
  const { file, refused } = write(process.cwd(), process.env, values["global"] === true);
  if (refused === undefined) console.log(`written: ${file}`);
  else console.error(`error: ${refused}`);
  return refused === undefined ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
