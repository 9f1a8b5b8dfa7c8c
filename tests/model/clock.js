// Time that goes on only when it is told to, for the plugin's own timers and for those of Node that it uses.

const REAL = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

export class Clock {
  #now = 1_800_000_000_000;
  /** @type {Set<{ act: () => void, due: number, isAlarm: boolean }>} */
  #timers = new Set();
  /** Those that only bound how long the host may take to answer. */
  #limits = new Set();

  now = () => this.#now;

  setTimer = (act, delay) => this.#add(this.#timers, act, delay);

  clearTimer = (timer) => {
    this.#timers.delete(timer);
  };

  /** Timers that run, without those that bound an answer of the host. */
  get armed() {
    return this.#timers.size;
  }

  /** Whether the alarm of a core is among them: no other one is let go by `unref`. */
  get hasAlarm() {
    return [...this.#timers].some(({ isAlarm }) => isAlarm);
  }

  /** All timers of a process that was killed. */
  forget() {
    this.#timers.clear();
    this.#limits.clear();
  }

  /** From now on the timers of the global object are this clock's; `release` gives them back. */
  seize() {
    globalThis.setTimeout = (act, delay = 0) => this.#add(this.#limits, act, delay);
    globalThis.clearTimeout = (timer) => this.#limits.delete(timer);
  }

  /** Lets `ms` pass: each timer goes off at its time, and what comes of it is done before the next one. */
  async advance(ms) {
    const end = this.#now + ms;
    for (;;) {
      let next;
      for (const timers of [this.#timers, this.#limits]) {
        for (const timer of timers) {
          if (timer.due <= end && !(next && next.due <= timer.due)) next = timer;
        }
      }
      if (!next) break;
      this.#now = Math.max(this.#now, next.due);
      this.#timers.delete(next);
      this.#limits.delete(next);
      next.act();
      await quiet();
    }
    this.#now = end;
  }

  #add(timers, act, delay) {
    const timer = {
      act,
      due: this.#now + delay,
      isAlarm: false,
      unref() {
        timer.isAlarm = true;
      },
    };
    timers.add(timer);
    return timer;
  }
}

/** Gives the global object its timers back. */
export function release() {
  Object.assign(globalThis, REAL);
}

/** All that waits for promises alone has been done, and what was rejected was heard of. */
export const quiet = () => new Promise((resolve) => setImmediate(resolve));
