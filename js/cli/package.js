// This package: what it is called, what it needs, and the options as its schema describes them.

import { readFileSync } from "node:fs";

/** @typedef {{ description: string, default?: unknown, properties?: Record<string, Option>, minimum?: number, maximum?: number, enum?: unknown[] }} Option */

/** @type {{ name: string, version: string, engines: { node: string, opencode: string } }} */
export const MANIFEST = read("package.json");

/** @type {{ $id: string, properties: Record<string, Option> }} */
export const SCHEMA = read("schema.json");

/**
 * Every option that holds a value, in the schema's order, with its part of the schema; those of `nudge` are called
 * `nudge.enabled` and so on.
 * @returns {[name: string, option: Option][]}
 */
export function options() {
  return Object.entries(SCHEMA.properties).flatMap(([name, option]) => {
    if (name === "$schema") return [];
    if (!option.properties) return [[name, option]];
    return Object.entries(option.properties).map(
      /** @returns {[string, Option]} */ ([part, option]) => [`${name}.${part}`, option],
    );
  });
}

/** @param {string} name */
function read(name) {
  return JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"));
}
