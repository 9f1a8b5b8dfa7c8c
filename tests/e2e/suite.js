// What the end-to-end tests of one file share: a scripted model and a real opencode with the packed plugin.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach } from "node:test";
import { startModel } from "./model.js";
import { startOpencode } from "./opencode.js";
import { packedPlugin } from "./package.js";

/** Long enough to act within, short enough not to wait for. */
export const IDLE_DELAY_MS = 50;

/**
 * Starts both before the first test of the file and stops them after the last. `options` go into `opencode.json`
 * beside the plugin; the rest goes to `startOpencode`. Every test begins with an empty script, and fails when the
 * model was asked for more than its script held.
 */
export function suite({ options = {}, plugin, ...setup } = {}) {
  const shared = {};

  before(async () => {
    shared.model = await startModel();
    const folder = await packedPlugin();
    shared.opencode = await startOpencode({
      model: shared.model,
      plugin: plugin?.(folder) ?? [[folder, { idleDelayMs: IDLE_DELAY_MS, ...options }]],
      ...setup,
    });
  });

  beforeEach(() => shared.model.play([]));

  afterEach(async () => {
    await shared.opencode.abortAll();
    assert.deepEqual(shared.model.faults, []);
  });

  after(async () => {
    await shared.opencode?.stop();
    await shared.model?.stop();
  });

  return shared;
}
