// opencode's version, and whether it is one that the plugin works with.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { MANIFEST } from "./package.js";

/**
 * @typedef {object} Opencode
 * @property {string | null} path of the program; null when there is none
 * @property {string | null} version null when it does not say
 * @property {string} needed a range of versions
 * @property {boolean | null} fits null when there is no telling: opencode itself does not check a build of version 0
 * @property {string} [error] why there is no version, when there is a path
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [path] of the program, when it is not to be looked for
 * @returns {Opencode}
 */
export function opencodeOf(env, path = onPath(env)) {
  const needed = MANIFEST.engines.opencode;
  if (path === undefined) return { path: null, version: null, needed, fits: null };
  const shell = /\.(cmd|bat)$/i.test(path);
  const result = spawnSync(shell ? `"${path}"` : path, ["--version"], {
    env,
    shell,
    encoding: "utf8",
    timeout: 30_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const version = /^v?(\d+\.\d+\.\d+\S*)$/m.exec((result.stdout ?? "").trim())?.[1] ?? null;
  if (version === null) return { path, version, needed, fits: null, error: whyNone(result) };
  const fits = version.startsWith("0.") ? null : isWithin(version, needed);
  return { path, version, needed, fits };
}

/** @param {import("node:child_process").SpawnSyncReturns<string>} result of a run that named no version */
function whyNone({ error, status, signal, stdout, stderr }) {
  if (error) return `it cannot be run: ${error.message}`;
  const [said = ""] = (stderr.trim() || stdout.trim()).split("\n");
  if (status !== 0) return `it ended with ${signal ?? status} and said ${JSON.stringify(said)}`;
  return `expected a version like 1.18.0, found ${JSON.stringify(said)}`;
}

/** @param {NodeJS.ProcessEnv} env */
function onPath(env) {
  const names =
    process.platform === "win32" ? ["opencode.exe", "opencode.cmd", "opencode.bat"] : ["opencode"];
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(Boolean);
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * Whether a version is in a range of the form that this package's `engines` has: `>=1.18.0 <2`. As in npm, a version with a
 * pre-release tag is in none.
 * @param {string} version
 * @param {string} range
 */
export function isWithin(version, range) {
  const found = /^(\d+)\.(\d+)\.(\d+)(?:\+\S*)?$/.exec(version);
  if (!found) return false;
  return range.split(" ").every((bound) => {
    const [, sign, text = ""] = /^(>=|<)(\d+(?:\.\d+){0,2})$/.exec(bound) ?? [];
    const parts = text.split(".").map(Number);
    const difference = [0, 1, 2]
      .map((at) => Number(found[at + 1]) - (parts[at] ?? 0))
      .find((part) => part !== 0);
    if (sign === ">=") return (difference ?? 0) >= 0;
    return sign === "<" && (difference ?? 0) < 0;
  });
}
