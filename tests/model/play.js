// One sequence, from a fresh host to the end of the plugin.

import { release } from "./clock.js";
import { listen } from "./core.js";
import { Host } from "./host.js";
import { scenarioOf } from "./scenario.js";

/** What nobody caught. */
const rejections = [];
process.on("unhandledRejection", (error) => rejections.push(error));

export class Play {
  reminders = 0;
  faults = [];
  #plan;
  #inputs = [];
  #steps = [];

  constructor(plan) {
    this.#plan = plan;
  }

  /** @param {(host: Host, move: any) => Promise<void>} make carries out a move */
  async run(make) {
    let isTrapDue = false;
    /** @type {Host | undefined} */
    let host;
    const deaf = listen((input, now) => {
      if (isTrapDue) {
        isTrapDue = false;
        // Only what comes after it is the same core.
        this.#inputs = [];
        host?.oracle.forgot();
        return true;
      }
      this.#inputs.push({ input, now });
      return false;
    });
    try {
      host = new Host(this.#plan);
      let traps = 0;
      host.trapNext = () => {
        traps += 1;
        isTrapDue = traps <= 2;
      };
      for (const move of this.#plan.moves) {
        await make(host, move);
        if (this.#collect(host, JSON.stringify(move))) return;
      }
      isTrapDue = false;
      await host.stillReminds();
      if (this.#collect(host, "a last turn, with a host that answers")) return;
      await host.close();
      this.#collect(host, "the end of the plugin");
    } finally {
      this.reminders = host?.oracle.count ?? 0;
      deaf();
      release();
    }
  }

  #collect(host, step) {
    const { faults } = host.oracle;
    faults.push(...rejections.splice(0).map((error) => `not caught: ${error?.stack ?? error}`));
    this.#steps.push(step);
    if (faults.length === 0) return false;
    this.faults = [...faults];
    return true;
  }

  /** What happened, and how to keep it. */
  story() {
    return [
      `${this.faults.join("; ")}, after`,
      ...this.#steps.map((step) => `  ${step}`),
      `with ${JSON.stringify(this.#plan.options)}`,
      `and answers ${JSON.stringify(this.#plan.answers)}`,
      "",
      "What the core heard since it was made, as a scenario. When the core is wrong, keep it as tests/scenarios/NAME.txt with a",
      "comment on top that says what must hold and with what must follow behind `->` (tests/scenarios.rs has the notation);",
      "when the shim is wrong, write a test beside tests/js/reminder.test.js.",
      "",
      `options ${JSON.stringify(this.#plan.options)}`,
      scenarioOf(this.#inputs),
    ].join("\n");
  }
}
