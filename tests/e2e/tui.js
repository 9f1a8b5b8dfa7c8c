// opencode's own screen in a terminal that nobody looks at: tmux, with a server of its own.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const SHOW_TIMEOUT_MS = 30_000;

/** Starts a program in a terminal of this many columns and rows. `env` is all that it gets of an environment. */
export async function startTerminal({ program, args = [], folder, env, columns = 100, rows = 32 }) {
  const socket = path.join(mkdtempSync(path.join(tmpdir(), "todo-keeper-tmux-")), "socket");
  const terminal = new Terminal(socket);
  const variables = Object.entries({ ...env, TERM: "tmux-256color", COLORTERM: "truecolor" });
  const command = ["env", "-i", ...variables.map(([name, value]) => `${name}=${value}`), program];
  await terminal.tmux("-f", "/dev/null", "new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, [
    "-c",
    folder,
    ...command,
    ...args,
  ]);
  return terminal;
}

class Terminal {
  #socket;

  constructor(socket) {
    this.#socket = socket;
  }

  async tmux(...args) {
    const { stdout } = await run("tmux", ["-u", "-S", this.#socket, ...args.flat()]);
    return stdout;
  }

  /** What is on the screen, as text; with `colours` its escape sequences too. */
  screen({ colours = false } = {}) {
    return this.tmux("capture-pane", "-p", colours ? ["-e"] : []);
  }

  /** Waits until the screen matches, and returns it as text. */
  async shows(pattern, { timeout = SHOW_TIMEOUT_MS } = {}) {
    const giveUpAt = Date.now() + timeout;
    for (;;) {
      const screen = await this.screen();
      if (pattern.test(screen)) return screen;
      if (Date.now() > giveUpAt) throw new Error(`the screen never showed ${pattern}:\n${screen}`);
      await sleep(100);
    }
  }

  type(text) {
    return this.tmux("send-keys", "-l", text);
  }

  /** A key by tmux's name for it: Enter, Escape. */
  press(key) {
    return this.tmux("send-keys", key);
  }

  async stop() {
    await this.tmux("kill-server").catch(() => {});
    rmSync(path.dirname(this.#socket), { recursive: true, force: true });
  }
}
