// Where things are, and how a command is run: shared by the scripts beside this file.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout's top folder. */
export const ROOT = resolve(fileURLToPath(new URL("../..", import.meta.url)));

/** Everything that a build leaves behind, apart from `node_modules`, `target` and `pkg`. */
export const CACHE = join(ROOT, ".cache");

/** An error whose message is written for the person at the terminal: no stack trace wanted. */
export class Failure extends Error {}

/** @typedef {Record<string, string | undefined>} Env */

/**
 * Runs a command with its output shown, in the checkout's top folder unless told otherwise.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Env, limitSeconds?: number }} [options]
 * @returns {void}
 * @throws {Failure} when it cannot start, ends with an error or takes longer than `limitSeconds`
 */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, {
    cwd: options.cwd ?? ROOT,
    env: options.env ?? process.env,
    stdio: "inherit",
    ...(options.limitSeconds ? { timeout: options.limitSeconds * 1000 } : {}),
  });
  if (done.status === 0) return;
  const how =
    done.error?.message ?? (done.signal ? `killed by ${done.signal}` : `exit code ${done.status}`);
  throw new Failure(`expected \`${command} ${args.join(" ")}\` to succeed, found: ${how}`);
}

/**
 * Runs a command and returns what it printed, or nothing when it failed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Env }} [options]
 * @returns {string | undefined}
 */
export function output(command, args, options = {}) {
  const done = spawnSync(command, args, {
    cwd: options.cwd ?? ROOT,
    env: options.env ?? process.env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 64 << 20,
  });
  return done.status === 0 ? done.stdout.trim() : undefined;
}

/**
 * Runs a script's main function; a `Failure` ends the process with its message alone.
 *
 * @param {() => void | Promise<void>} main
 */
export async function script(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Failure ? `\nerror: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/** @param {string} title */
export function heading(title) {
  console.log(`\n=== ${title}`);
}

/**
 * A program that a npm package brings for this platform. The packages' own launchers need their
 * install scripts, which this project does not run.
 *
 * @param {"bun" | "opencode"} name
 * @returns {string}
 */
export function nativeProgram(name) {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const cpu = name === "bun" && process.arch === "arm64" ? "aarch64" : process.arch;
  const scope = name === "bun" ? join(ROOT, "node_modules", "@oven") : join(ROOT, "node_modules");
  const suffixes = ["", "-musl", "-baseline", "-baseline-musl"];
  const program = process.platform === "win32" ? `${name}.exe` : name;
  for (const suffix of suffixes) {
    const path = join(scope, `${name}-${os}-${cpu}${suffix}`, "bin", program);
    if (existsSync(path) && output(path, ["--version"]) !== undefined) return path;
  }
  throw new Failure(
    `expected a ${name} binary for ${os} ${process.arch} in node_modules, found none that starts; ` +
      "run `npm run setup`, and see whether npm leaves out optional dependencies (`npm config get omit`)",
  );
}

/**
 * The files of a folder whose names end in `suffix`, in a fixed order; none when it does not exist.
 *
 * @param {string} folder relative to the top folder
 * @param {string} suffix
 * @returns {string[]} relative to the top folder
 */
export function filesIn(folder, suffix) {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith(suffix))
    .sort()
    .map((name) => `${folder}/${name}`);
}
