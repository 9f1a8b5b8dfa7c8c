// One `todowrite` of a session after the other. opencode runs the calls of one reply side by side; two that are guarded by the
// same list would each put back what it held, and the later one would drop what the earlier one brought.

/** The longest time that a call may take from its `before` to its `after`, in milliseconds; one that fails has no `after`. */
const LONGEST_TURN = 1_000;

/** @typedef {{ isOver: Promise<void>, end: () => void }} Turn */

/** The calls under way. */
export class Turns {
  #clock;
  /** By session and call. @type {Map<string, Turn>} */
  #turns = new Map();
  /** The turn that the next call of a session has to wait for. @type {Map<string, Turn>} */
  #last = new Map();
  #isClosed = false;

  /** @param {typeof import("./keeper.js").SYSTEM_CLOCK} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /**
   * Does what is to be done before a call, once the calls before it are over. Its own turn lasts until `end`.
   * @param {string} session
   * @param {string} call
   * @param {() => Promise<void>} act
   */
  async begin(session, call, act) {
    const before = this.#last.get(session);
    const turn = this.#open(session, keyOf(session, call));
    await before?.isOver;
    try {
      await act();
    } finally {
      if (this.#isClosed) turn.end();
      const timer = this.#clock.setTimer(turn.end, LONGEST_TURN);
      turn.isOver.then(() => this.#clock.clearTimer(timer));
    }
  }

  /**
   * A call is done.
   * @param {string} session
   * @param {string} call
   */
  end(session, call) {
    this.#turns.get(keyOf(session, call))?.end();
  }

  /** No call waits any more. */
  close() {
    this.#isClosed = true;
    for (const turn of [...this.#turns.values()]) turn.end();
  }

  /**
   * @param {string} session
   * @param {string} key
   * @returns {Turn}
   */
  #open(session, key) {
    /** @type {() => void} */
    let settle = () => {};
    const isOver = /** @type {Promise<void>} */ (new Promise((resolve) => (settle = resolve)));
    const end = () => {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
      if (this.#last.get(session) === turn) this.#last.delete(session);
      settle();
    };
    const turn = { isOver, end };
    this.#turns.set(key, turn);
    this.#last.set(session, turn);
    return turn;
  }
}

/**
 * @param {string} session
 * @param {string} call
 */
const keyOf = (session, call) => `${session} ${call}`;
