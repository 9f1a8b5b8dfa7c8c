// The core in WebAssembly, and what to do when it traps.

import { readFileSync } from "node:fs";
import { __wbg_reset_state, Core, initSync } from "../pkg/todo_keeper.js";

/** @typedef {import("../pkg/todo_keeper.js").Source} Source */

/** After so many traps within so many milliseconds a core is given up: something is wrong that a new core does not mend. */
const MOST_TRAPS = 3;
const TRAP_WINDOW = 60_000;

/** Counts the instances of the module: after a trap the objects of the old one must not be touched again. */
let generation = 0;

/** A core that survives its own traps. One module instance serves all directories of a process. */
export class SturdyCore {
  #sources;
  #onTrap;
  #isRun;
  #now;
  #core;
  #generation;
  /** When it trapped; the latest ones. @type {number[]} */
  #traps = [];
  #isGivenUp = false;

  /**
   * @param {Source[]} sources
   * @param {(error: unknown, isGivenUp: boolean) => void} onTrap told of each trap, another directory's too, when the next core
   *   is ready or there will be none
   * @param {() => number} now milliseconds since the Unix epoch
   * @param {boolean} isRun whether opencode runs as `opencode run`
   * @throws when the module is missing or damaged
   */
  constructor(sources, onTrap, now = Date.now, isRun = false) {
    instantiate();
    this.#sources = sources;
    this.#onTrap = onTrap;
    this.#now = now;
    this.#isRun = isRun;
    this.#core = new Core(sources, isRun);
    this.#generation = generation;
  }

  /** Another number for each core that took the place of one that trapped. */
  get age() {
    return this.#generation;
  }

  /**
   * What `act` makes of the core, or nothing when the core trapped or was given up. After a trap the core is a new one with the
   * same options; sessions are taken up from the host when they are heard of again.
   * @template T
   * @param {(core: Core) => T} act
   * @returns {T | undefined}
   */
  call(act) {
    if (this.#isGivenUp) return undefined;
    try {
      if (this.#generation !== generation) {
        this.#rebuild();
        this.#onTrap("it was another directory's, and the memory is shared", false);
      }
      return act(this.#core);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || this.#isLocked())) throw error;
      __wbg_reset_state();
      generation += 1;
      this.#isGivenUp = this.#isOneTooMany();
      if (!this.#isGivenUp) this.#rebuild();
      this.#onTrap(error, this.#isGivenUp);
      return undefined;
    }
  }

  /**
   * Whether a call of the core was cut off in the middle, by an overflow of JavaScript's stack or by an object of the host
   * that threw while it was read. It would refuse every later call. What the core itself refuses does not lock it.
   */
  #isLocked() {
    try {
      return this.#core.remembered < 0;
    } catch {
      return true;
    }
  }

  #isOneTooMany() {
    const now = this.#now();
    this.#traps = [...this.#traps.filter((then) => now - then < TRAP_WINDOW), now];
    return this.#traps.length >= MOST_TRAPS;
  }

  #rebuild() {
    this.#core = new Core(this.#sources, this.#isRun);
    this.#core.takeOver();
    this.#generation = generation;
  }
}

function instantiate() {
  if (generation > 0) return;
  initSync({ module: readFileSync(new URL("../pkg/todo_keeper_bg.wasm", import.meta.url)) });
  generation = 1;
}
