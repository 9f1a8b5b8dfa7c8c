// `npm run setup`: brings a bare machine to a ready one; quick when it is ready already.
// With the argument `npm` it leaves Rust out: the plugin itself runs from the committed pkg/.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CACHE, ROOT, run, script } from "./project.js";
import { findRust } from "./rust.js";

/** Where wasm-bindgen and its test runner are built to; .cargo/config.toml names it too. */
export const TOOLS = join(CACHE, "tools", "debug");

/** Installs the packages of package-lock.json when `node_modules` holds something else. */
export function setUpNpm() {
  if (isInstalled()) return;
  console.log("installing the npm packages of package-lock.json");
  const npm = process.env["npm_execpath"];
  // Not `npm ci`: it refuses a lock that lacks an optional package, and not every registry has
  // opencode's binaries for all platforms. This takes the lock's versions and hashes too.
  const args = ["install", "--no-save", "--loglevel=error"];
  if (npm?.endsWith(".js")) run(process.execPath, [npm, ...args]);
  else run("npm", args);
}

/** @returns {import("./rust.js").Rust} */
export function setUpRust() {
  const rust = findRust();
  if (!existsSync(TOOLS))
    console.log("building wasm-bindgen and its test runner, once: about a minute");
  run(
    "cargo",
    [
      "build",
      "-q",
      "--locked",
      "--manifest-path",
      ".tools/Cargo.toml",
      "--target-dir",
      join(CACHE, "tools"),
    ],
    {
      env: rust.native,
    },
  );
  return rust;
}

/**
 * npm writes down what it installed; every package of the lock must be there in its version.
 * Optional ones may be missing: they are for other platforms.
 */
function isInstalled() {
  const installed = join(ROOT, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const present = packages(installed);
  const wanted = packages(join(ROOT, "package-lock.json"));
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const found = present[path];
    return found
      ? found.version === entry.version && found.integrity === entry.integrity
      : entry.optional;
  });
}

/**
 * @param {string} lock
 * @returns {Record<string, { version?: string, integrity?: string, optional?: boolean }>}
 */
function packages(lock) {
  return JSON.parse(readFileSync(lock, "utf8")).packages;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await script(() => {
    setUpNpm();
    if (process.argv[2] !== "npm") setUpRust();
  });
}
