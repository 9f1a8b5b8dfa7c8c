// Random sequences of what a host does, and what must hold after each step: see `Oracle`. A sequence that fails is shrunk, and
// the report says how it is kept as a scenario.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { emptyProject } from "../js/host.js";
import { make } from "./moves.js";
import { Play } from "./play.js";

/** `SEQUENCES=1000 SEED=7 node --test tests/model` plays fewer, or others; with the `path` of a report as `REPLAY` that one. */
const SEQUENCES = Number(process.env["SEQUENCES"] ?? 50_000);
const SEED = Number(process.env["SEED"] ?? 20_260);

const REPLAY = process.env["REPLAY"] ? { path: process.env["REPLAY"], endOnFailure: true } : {};

/**
 * @param {string} title
 * @param {fc.Arbitrary<any>} plans
 */
export function describeInterleavings(title, plans) {
  let project;
  before(() => {
    project = emptyProject();
  });
  after(() => project.remove());

  describe(title, () => {
    it(`the plugin keeps to its rules in ${SEQUENCES} sequences`, async () => {
      const sums = { sequences: 0, reminders: 0 };
      const property = fc.asyncProperty(plans, async (plan) => {
        const play = new Play(plan);
        await play.run(make);
        sums.sequences += 1;
        sums.reminders += play.reminders;
        assert.ok(play.faults.length === 0, play.story());
      });
      await fc.assert(property, { seed: SEED, numRuns: SEQUENCES, ...REPLAY });
      console.log(`${sums.sequences} sequences, ${sums.reminders} reminders`);
      // One of them is the last turn of each.
      assert.ok(sums.reminders > 1.3 * sums.sequences, "hardly anything was reminded of");
    });
  });
}
