// Random sequences of what a host does, and what must hold after each step: see `Oracle`. A sequence that fails is shrunk, and the
// report says how it is kept as a scenario.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { emptyProject } from "../js/host.js";
import { release } from "./clock.js";
import { make, plans } from "./moves.js";
import { Play } from "./play.js";

/** `SEQUENCES=1000 SEED=7 node --test tests/model` runs fewer, or others. */
const SEQUENCES = Number(process.env["SEQUENCES"] ?? 100_000);
const SEED = Number(process.env["SEED"] ?? 20_260);

/** The most steps of shrinking that are worth waiting for. */
const MOST_SHRINKING_MS = 60_000;

let project;
before(() => {
  project = emptyProject();
});
after(() => {
  release();
  project.remove();
});

describe("whatever happens in whatever order", () => {
  it("the plugin keeps to its rules", async () => {
    const sums = { reminders: 0, sequences: 0 };
    const property = fc.asyncProperty(plans, async (plan) => {
      const play = new Play(plan);
      await play.run(make);
      sums.reminders += play.reminders;
      sums.sequences += 1;
      assert.deepEqual(play.faults, [], play.story());
    });
    await fc.assert(property, {
      seed: SEED,
      numRuns: SEQUENCES,
      interruptAfterTimeLimit: undefined,
      verbose: fc.VerbosityLevel.None,
    });
    console.log(`${sums.sequences} sequences, ${sums.reminders} reminders`);
    assert.ok(sums.reminders > sums.sequences, "hardly anything was reminded of");
  });
});
