// The schema and the core accept the same options and reject the same; the README's table says what the schema says.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import Ajv from "ajv";
import { SturdyCore } from "../../js/core.js";

const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const schema = JSON.parse(read("schema.json"));

/** Every option that holds a value, with its part of the schema; those of `nudge` are called `nudge.enabled` and so on. */
const LEAVES = leavesOf(schema);
const FORMATS = ["messageFormat", "inProgressMessageFormat", "nudge.messageFormat"];

/** How many objects of random fields are tried. */
const RANDOM_OBJECTS = 3_000;

let accepts;
before(() => {
  accepts = new Ajv().compile(schema);
});

/** What the core says of one source; an unknown placeholder is named, but the format that holds it is taken. */
function complaints(options) {
  const core = new SturdyCore([{ file: "x", text: JSON.stringify(options) }], assert.fail);
  const lines = core.call((core) => core.start()).effects.map(({ message }) => message);
  core.call((core) => core.free());
  return lines.filter((line) => !line.includes("(the text is used as it is)"));
}

/** Asks both; fails when they differ, and returns what they say. */
function verdict(options) {
  const lines = complaints(options);
  const isAccepted = accepts(options);
  assert.equal(
    isAccepted,
    lines.length === 0,
    `${JSON.stringify(options)}\nschema: ${JSON.stringify(accepts.errors)}\ncore: ${lines.join("\n")}`,
  );
  return isAccepted;
}

describe("the schema and the core agree", () => {
  it("on every value at the edge of what an option may hold", () => {
    for (const [name, part] of LEAVES) {
      const verdicts = edges(part).map((value) => verdict(objectOf(name, value)));
      assert.ok(verdicts.includes(true), `${name} is never accepted`);
      assert.ok(verdicts.includes(false), `${name} is never rejected`);
    }
  });

  it("on values of every kind in every option", () => {
    const random = randomFrom(1);
    for (const [name] of LEAVES)
      for (let count = 0; count < 200; count += 1) verdict(objectOf(name, anyValue(random)));
  });

  it("on objects of many options, whose values fit for the most part", () => {
    const random = randomFrom(2);
    const counts = { true: 0, false: 0 };
    for (let count = 0; count < RANDOM_OBJECTS; count += 1)
      counts[verdict(anyOptions(random))] += 1;
    assert.ok(counts.true > RANDOM_OBJECTS / 10, `${counts.true} were accepted`);
    assert.ok(counts.false > RANDOM_OBJECTS / 10, `${counts.false} were rejected`);
  });

  it("on names that are none, and on nudge itself", () => {
    for (const name of ["", "Enabled", "nudge.enabled", "nudge․enabled", "constructor", "length"])
      assert.equal(verdict({ [name]: true }), false, name);
    assert.equal(verdict(JSON.parse('{"__proto__": true}')), false);
    for (const name of ["$schema", "nudge", "debugs", "nudge.enabled"])
      assert.equal(verdict({ nudge: { [name]: true } }), false, name);
    for (const nudge of [null, true, 1, "tail", [], [{}]]) assert.equal(verdict({ nudge }), false);
    assert.equal(verdict({ nudge: {} }), true);
  });

  it("on what is no object at all", () => {
    for (const value of [null, true, 0, "", "{}", [], [{}]]) assert.equal(verdict(value), false);
    assert.equal(verdict({}), true);
  });

  it("on any reference to the schema", () => {
    for (const value of ["./schema.json", schema.$id, "", null, 1, {}, []])
      assert.equal(verdict({ $schema: value }), true);
  });
});

describe("the schema", () => {
  it("says of every option what it is, and what it is when nobody sets it", () => {
    for (const [name, part] of LEAVES) {
      assert.ok(part.description?.length > 10, name);
      assert.notEqual(part.default, undefined, name);
      if (part.type === "integer") assert.ok(Number.isInteger(part.maximum - part.minimum), name);
    }
    assert.ok(schema.properties.nudge.description);
  });

  it("says what the README's table says: names, defaults and ranges", () => {
    const rows = [...read("README.md").matchAll(/^\| `([\w.]+)` \| (.+?) \| (.+) \|$/gm)];
    assert.deepEqual(
      rows.map(([, name]) => name).sort(),
      LEAVES.map(([name]) => name).sort(),
      "the README's table and schema.json must name the same options",
    );
    for (const [, name, shown, text] of rows) {
      const part = LEAVES.find(([leaf]) => leaf === name)[1];
      const value = JSON.stringify(part.default).replaceAll('","', '", "');
      assert.equal(shown, FORMATS.includes(name) ? "[text](src/wording.rs)" : `\`${value}\``, name);
      if (part.type === "integer")
        assert.ok(text.includes(`${part.minimum} to ${part.maximum}`), `${name}: ${text}`);
    }
  });
});

function leavesOf({ properties }, prefix = "") {
  return Object.entries(properties).flatMap(([name, part]) => {
    if (name === "$schema") return [];
    return part.properties ? leavesOf(part, `${name}.`) : [[prefix + name, part]];
  });
}

/** Options with this one alone. */
function objectOf(name, value) {
  const [first, second] = name.split(".");
  return second === undefined ? { [first]: value } : { [first]: { [second]: value } };
}

/** Values on both sides of each bound that this part of the schema sets, and one of each other kind. */
function edges(part) {
  const kinds = [null, true, false, 0, 1, -1, 0.5, "", "x", [], ["x"], {}, { x: 1 }];
  return [part.default, ...kinds, ...numbers(part), ...texts(part), ...lists(part)];
}

function numbers({ minimum, maximum }) {
  if (minimum === undefined) return [];
  const near = [minimum, maximum].flatMap((bound) => [bound - 1, bound, bound + 1, bound + 0.5]);
  return [...near, -0, 1e-7, 2 ** 32, 2 ** 32 + 1, 2 ** 53, 1e21, 1e300, `${minimum}`, [minimum]];
}

function texts(part) {
  const known = part.enum ?? [];
  // White space of two minds: some of it is none in Unicode's eyes, some is none in JavaScript's.
  const blanks = [" ", "\n", "\t\r\n", "\u0085", "\u00a0", "\ufeff", "\u200b", "\u2028", "\u3000"];
  const blank = [...blanks, blanks.join(""), "\u180e", "\u001c", "\u0000"];
  const letters = ["a", " a ", "{x}", "{total}", "</system-reminder>", "😀", "a".repeat(5_000)];
  const variants = known.map(String).flatMap((text) => [text, text.toUpperCase(), ` ${text}`]);
  return [...known, ...variants, ...blank, ...letters];
}

function lists({ type, items }) {
  if (type !== "array") return [];
  const barred = items.not?.enum ?? [];
  const items_ = ["", " ", "x", 1, null, ["x"], {}, ...barred, ...barred.map((text) => ` ${text}`)];
  return [
    ...items_.map((item) => [item]),
    ...items_.map((item) => ["x", item]),
    ["x", "x"],
    Array.from({ length: 300 }, (_, index) => `agent ${index}`),
  ];
}

/** An object of some options, each of which fits nine times out of ten. */
function anyOptions(random) {
  const options = {};
  for (const [name, part] of LEAVES) {
    if (random() > 0.3) continue;
    const value = random() < 0.9 ? fitting(part, random) : anyValue(random);
    const [first, second] = name.split(".");
    if (second === undefined) options[first] = value;
    else options[first] = { ...options[first], [second]: value };
  }
  if (random() < 0.05) options[pick(random, ["enable", "cooldownMs", "marker", "a b"])] = 1;
  return options;
}

/** A value that this part of the schema allows. */
function fitting(part, random) {
  if (part.enum) return pick(random, part.enum);
  if (part.type === "boolean") return random() < 0.5;
  if (part.type === "integer")
    return part.minimum + Math.floor(random() * (part.maximum - part.minimum + 1));
  if (part.type === "string") return `${anyText(random)}x`;
  const length = (part.minItems ?? 0) + Math.floor(random() * 4);
  return Array.from({ length }, () => `${anyText(random)}x`);
}

/** A value of JSON, whatever it is. */
function anyValue(random, depth = 0) {
  const kind = Math.floor(random() * (depth < 3 ? 9 : 6));
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return Math.floor(random() * 1_200) - 100;
  if (kind === 3) return (random() - 0.5) * 10 ** Math.floor(random() * 12);
  if (kind < 6) return anyText(random);
  const length = Math.floor(random() * 4);
  if (kind < 8) return Array.from({ length }, () => anyValue(random, depth + 1));
  const entries = Array.from({ length }, () => [anyText(random), anyValue(random, depth + 1)]);
  return Object.fromEntries(entries);
}

function anyText(random) {
  const units = [
    "",
    " ",
    "a",
    "pending",
    "completed",
    "tail",
    "{",
    "}",
    '"',
    "\\",
    "\n",
    "ä",
    "😀",
  ];
  const length = Math.floor(random() * 4);
  return Array.from({ length }, () => pick(random, units)).join("");
}

const pick = (random, list) => list[Math.floor(random() * list.length)];

/** The same numbers from 0 to 1 for the same seed (mulberry32): a failure can be had again. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
