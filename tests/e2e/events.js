// Records the event stream of an opencode server, so that tests wait for what happens and not for time.

import { setTimeout as sleep } from "node:timers/promises";
import { stream } from "./http.js";

const WAIT_TIMEOUT_MS = 15_000;
const SETTLE_TIMEOUT_MS = 60_000;
// Sent by the server whatever happens: they say nothing about a session's peace.
const BACKGROUND = new Set(["server.heartbeat", "server.connected"]);

export class EventRecorder {
  #abort = new AbortController();
  #reading = Promise.resolve();
  #waiting = new Set();
  #busy = new Set();
  #lastAt = Date.now();

  /** Every event since the stream was opened, oldest first: `{ type, properties }`. */
  all = [];

  /** Opens the stream of another server and forgets the events of the one before. */
  async connect(url) {
    this.all = [];
    this.#busy.clear();
    this.#abort = new AbortController();
    const body = await stream(`${url}/event`, this.#abort.signal);
    // The stream ends with an error whenever its server is killed, which is how most of them end.
    this.#reading = this.#read(body).catch(() => {});
  }

  async disconnect() {
    this.#abort.abort();
    await this.#reading;
  }

  /** The first event that matches, among those since `from` (an index into `all`) and those still to come. */
  waitFor(matches, { from = 0, ...options } = {}) {
    return this.until(() => this.all.slice(from).find(matches), { what: "an event", ...options });
  }

  /** The first true value of `condition`, which is asked again after each event. */
  until(condition, { timeout = WAIT_TIMEOUT_MS, what = "a condition" } = {}) {
    return new Promise((resolve, reject) => {
      const finish = (settle, value) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        settle(value);
      };
      const look = () => {
        const value = condition();
        if (value) finish(resolve, value);
      };
      const expire = () =>
        finish(reject, new Error(`${what} did not come within ${timeout} ms${this.#lastEvents()}`));
      const timer = setTimeout(expire, timeout);
      this.#waiting.add(look);
      look();
    });
  }

  /** Resolves once every session is idle and no event has come for `ms`. */
  async settled(ms) {
    do {
      await this.until(() => this.#busy.size === 0, { what: "idle", timeout: SETTLE_TIMEOUT_MS });
      await this.quiet(ms);
    } while (this.#busy.size > 0);
  }

  /** Resolves once no event has come for `ms`, whatever the sessions wait for. */
  async quiet(ms) {
    for (;;) {
      const left = this.#lastAt + ms - Date.now();
      if (left <= 0) return;
      await sleep(left);
    }
  }

  async #read(body) {
    let rest = "";
    for await (const text of body) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block) {
    const data = block.split("\n").filter((line) => line.startsWith("data:"));
    if (data.length === 0) return;
    const event = JSON.parse(data.map((line) => line.slice("data:".length)).join("\n"));
    this.all.push(event);
    if (!BACKGROUND.has(event.type)) this.#lastAt = Date.now();
    this.#follow(event);
    for (const look of [...this.#waiting]) look();
  }

  #follow({ type, properties }) {
    if (type === "session.status" && properties.status.type !== "idle")
      this.#busy.add(properties.sessionID);
    if (type === "session.status" && properties.status.type === "idle")
      this.#busy.delete(properties.sessionID);
    if (type === "session.deleted") this.#busy.delete(properties.sessionID);
  }

  #lastEvents() {
    const last = this.all
      .slice(-15)
      .map(({ type, properties }) => `  ${type} ${JSON.stringify(properties).slice(0, 160)}`);
    return `; the last events were\n${last.join("\n")}`;
  }
}
