// Carries out effects: what the keeper does with opencode's client and the file system, it does here.

import { readFileSync } from "node:fs";
import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  activeOf,
  agentsOf,
  areTodos,
  failureOf,
  listedOf,
  MARK,
  messageOf,
  sessionInfoOf,
  textOf,
  todosOf,
} from "./shapes.js";

/** @typedef {import("../pkg/todo_keeper.js").Effect} Effect */
/** @typedef {import("../pkg/todo_keeper.js").Failure} Failure */
/** @typedef {import("../pkg/todo_keeper.js").OtherSession} OtherSession */
/** @typedef {import("../pkg/todo_keeper.js").Snapshot} Snapshot */
/** @typedef {import("../pkg/todo_keeper.js").Source} Source */
/** @typedef {import("../pkg/todo_keeper.js").Todo} Todo */
/** @typedef {{ error?: Failure | undefined, message?: string | undefined }} Sent why not, or as which message if it was only stored */

/** The most milliseconds that `todowrite` waits for the present list. */
const GUARD_TIMEOUT = 1_000;

/** The most sessions of a directory that the host is asked to list; the latest come first. */
const MOST_LISTED = 2_000;

/** The most sessions at work whose parents are asked for, and how many generations up. */
const MOST_KIN = [32, 4];

/** The most milliseconds that one question to the host may take. */
const ANSWER_TIMEOUT = 5_000;

/** How long a toast is shown, in milliseconds. */
const TOAST_DURATION = 8_000;

/** The most bytes of the log file; one file of the same size before it is kept. */
const LOG_FILE_BYTES = 1_000_000;

/** opencode writes its log this many milliseconds late, and `opencode run` ends without what it has not written. */
const LOG_DELAY = 1_500;

/** The most different lines of which it is remembered that they were said; the shim says no others. */
const MOST_SAID = 100;

/** What opencode gives a plugin. Older and newer hosts may lack any of it. */
export class Host {
  #client;
  #directory;
  /** The messages that are being stored, by request. @type {Map<number, Promise<Sent>>} */
  #storing = new Map();
  /** Until what came too late was taken back. */
  takenBack = Promise.resolve();
  /** When the host took the last line that a person should read, in milliseconds since the Unix epoch. */
  #warnedAt = Promise.resolve(0);
  /** @type {Promise<unknown>} */
  #remembered = Promise.resolve();
  /** Lines are written one after the other. */
  #logFile = Promise.resolve();
  /** What was missing or failed, so that each is said once. @type {Set<string>} */
  #said = new Set();

  /**
   * @param {any} client
   * @param {string} directory
   */
  constructor(client, directory) {
    this.#client = client;
    this.#directory = directory;
  }

  /**
   * What the host knows of a session, and who started the others that are at work. Never rejects: what cannot be found out
   * is left out.
   * @param {Extract<Effect, { type: "fetch" }>} effect
   * @returns {Promise<{ snapshot: Snapshot, parents: Map<string, string> }>}
   */
  async fetch({ session, history }) {
    // opencode takes nothing back while a turn runs, and a reminder may follow this answer at once.
    await this.takenBack;
    const path = { id: session };
    const [todos, info, active, agents, messages] = await Promise.all([
      this.#answer("session.todo", () => this.#client.session.todo({ path }), todosOf),
      this.#answer("session.get", () => this.#client.session.get({ path }), sessionInfoOf),
      this.active(),
      this.#answer("app.agents", () => this.#client.app.agents(), agentsOf),
      history > 0
        ? this.#answer(
            "session.messages",
            () => this.#client.session.messages({ path, query: { limit: history } }),
            messagesOf,
          )
        : undefined,
    ]);
    const found = messages && { messages, isWhole: messages.length < history };
    return {
      snapshot: { todos, info, active, agents, history: found },
      parents: await this.#parentsOf((active ?? []).filter((id) => id !== session)),
    };
  }

  /**
   * The sessions that are not idle.
   * @returns {Promise<string[] | undefined>}
   */
  active() {
    return this.#answer("session.status", () => this.#client.session.status(), activeOf);
  }

  /**
   * The root sessions of this directory, latest first.
   * @returns {Promise<OtherSession[] | undefined>}
   */
  sessions() {
    const directory = this.#directory;
    const query = { directory, roots: true, limit: MOST_LISTED };
    return this.#answer(
      "session.list",
      () => this.#client.session.list({ query }),
      (sessions) => listedOf(sessions, directory),
    );
  }

  /**
   * Who started each of `sessions`, and who started those: events tell it too, but not of what began before the core did.
   * @param {string[]} sessions
   * @returns {Promise<Map<string, string>>}
   */
  async #parentsOf(sessions) {
    /** @type {Map<string, string>} */
    const parents = new Map();
    const [most, generations] = /** @type {[number, number]} */ (MOST_KIN);
    let open = sessions.slice(0, most);
    for (let generation = 0; generation < generations && open.length > 0; generation += 1) {
      const asked = open.map(async (id) => {
        const ask = () => this.#client.session.get({ path: { id } });
        const info = await this.#answer("session.get", ask, sessionInfoOf, GUARD_TIMEOUT);
        if (info?.parent) parents.set(id, info.parent);
        return info?.parent;
      });
      const found = (await Promise.all(asked)).filter((id) => id !== undefined);
      open = [...new Set(found)].filter((id) => !parents.has(id));
    }
    return parents;
  }

  /**
   * The session's todos, unless the host takes longer than a call of a tool should wait.
   * @param {string} session
   * @returns {Promise<Todo[] | undefined>}
   */
  todos(session) {
    const ask = () => this.#client.session.todo({ path: { id: session } });
    return this.#answer("session.todo", ask, todosOf, GUARD_TIMEOUT);
  }

  /**
   * The todos of another session; none when they are malformed, which a second look would not mend.
   * @param {string} session
   * @param {number} timeout milliseconds
   * @returns {Promise<Todo[] | undefined>}
   */
  todosElsewhere(session, timeout) {
    const ask = () => this.#client.session.todo({ path: { id: session } });
    const shape = (/** @type {unknown} */ todos) => (areTodos(todos) ? todosOf(todos) : []);
    return this.#answer("session.todo", ask, shape, timeout);
  }

  /**
   * Sends a message as the person, or stores it for the turn that runs; answers why the host did not take it, if it did not.
   * Never rejects.
   * @param {Extract<Effect, { type: "prompt" }>} effect
   * @returns {Promise<Failure | undefined>}
   */
  async prompt({ request, session, text, identity, synthetic, mark, noReply }) {
    const part = {
      type: "text",
      text,
      ...(synthetic && { synthetic }),
      metadata: { [MARK]: mark },
    };
    const body = { ...identity, parts: [part] };
    if (!noReply) return (await this.#send(session, body)).error;
    const done = this.#send(session, { ...body, noReply });
    this.#storing.set(request, done);
    const { error } = await done;
    this.#storing.delete(request);
    return error;
  }

  /**
   * @param {string} session
   * @param {any} body
   * @returns {Promise<Sent>}
   */
  async #send(session, body) {
    try {
      const ask = this.#client.session;
      const request = { path: { id: session }, body };
      // Without `promptAsync` the answer comes when the turn is over; events tell the core what happens until then. What is only
      // stored is answered at once, and with its id.
      const isAsync = ask.promptAsync && !body.noReply;
      const { data, error } = await (isAsync ? ask.promptAsync(request) : ask.prompt(request));
      return error ? { error: failureOf(error) } : { message: data?.info?.id };
    } catch (error) {
      return { error: failureOf(error) };
    }
  }

  /**
   * Stores with a session whether it is paused; answers why not, if not. Never rejects.
   * @param {Extract<Effect, { type: "remember" }>} effect
   * @returns {Promise<Failure | undefined>}
   */
  remember(effect) {
    // One after the other, or the last word would not be the one that is kept.
    const done = this.#remembered.then(() => this.#remember(effect));
    this.#remembered = done;
    return done;
  }

  /**
   * @param {Extract<Effect, { type: "remember" }>} effect
   * @returns {Promise<Failure | undefined>}
   */
  async #remember({ session, isPaused }) {
    const path = { id: session };
    try {
      const got = await withTimeout(() => this.#client.session.get({ path }));
      if (got.error) throw got.error;
      // opencode replaces the whole object, others' entries too.
      const known = got.data.metadata;
      const metadata = { ...known, [MARK]: { ...known?.[MARK], isPaused } };
      const { error } = await withTimeout(() =>
        this.#client.session.update({ path, body: { metadata } }),
      );
      return error && failureOf(error);
    } catch (error) {
      return failureOf(error);
    }
  }

  /**
   * Writes an answer into a session: a part that the model is not shown, and no reply. In a toast when that fails.
   * @param {Extract<Effect, { type: "answer" }>} effect
   */
  async answer({ session, text, identity }) {
    const part = { type: "text", text, ignored: true, metadata: { [MARK]: { reminder: 0 } } };
    const body = { ...identity, noReply: true, parts: [part] };
    const ask = () => this.#client.session.prompt({ path: { id: session }, body });
    const isWritten = await this.#answer("session.prompt", ask, () => true);
    if (!isWritten)
      await this.toast({ type: "toast", variant: "info", title: "Todo keeper", message: text });
  }

  /**
   * Takes back what `prompt` stored. What is asked after it waits. Never rejects.
   * @param {Extract<Effect, { type: "unsend" }>} effect
   */
  unsend(effect) {
    const line = "expected the host to take a reminder back in time; it may still stand there";
    const act = withTimeout(() => this.#takeBack(effect)).catch(() => this.say("warn", line));
    this.takenBack = Promise.all([this.takenBack, act]).then(() => undefined);
    return act;
  }

  /**
   * What the host is about to store it stores before: an answer that is not waited for leaves it there, without a name.
   * @param {Extract<Effect, { type: "unsend" }>} effect
   */
  async #takeBack({ session, request, message }) {
    const sent = await this.#storing.get(request);
    const id = message ?? sent?.message;
    // opencode's client has no method for it, so its own request method is used.
    const url = "/session/{id}/message/{messageID}";
    const ask = () =>
      this.#client.session._client.delete({ url, path: { id: session, messageID: id } });
    if (id) await this.#answer("session.deleteMessage", ask, () => undefined);
  }

  /**
   * @param {Extract<Effect, { type: "toast" }>} effect
   */
  toast({ variant, title, message }) {
    const body = { variant, title, message, duration: TOAST_DURATION };
    return this.#answer(
      "tui.showToast",
      () => this.#client.tui.showToast({ body }),
      () => undefined,
    );
  }

  /**
   * opencode does not write a line's service to its log file, so the line itself names the plugin.
   * @param {Extract<Effect, { type: "log" }>} effect
   */
  log({ level, message, session, toFile }) {
    const extra = session ? { session } : {};
    const body = { service: "todo-keeper", level, message: `todo-keeper: ${message}`, extra };
    if (toFile) this.#logToFile([level, session, message]);
    const taken = withTimeout(() => this.#client.app.log({ body })).catch(() => undefined);
    if (level === "warn" || level === "error")
      this.#warnedAt = Promise.all([this.#warnedAt, taken]).then(() => Date.now());
    return taken;
  }

  /** Until what a person should read stands in opencode's log, and everything in the plugin's own. */
  async written() {
    const left = (await this.#warnedAt) + LOG_DELAY - Date.now();
    if (left > 0) await sleep(left);
    await this.#logFile;
  }

  /**
   * The data of an answer as `shape` makes it, or nothing when there is none.
   * @template T
   * @param {string} what
   * @param {() => Promise<any>} ask
   * @param {(data: any) => T} shape
   * @param {number} [timeout] milliseconds
   * @returns {Promise<T | undefined>}
   */
  async #answer(what, ask, shape, timeout = ANSWER_TIMEOUT) {
    try {
      const { data, error } = await withTimeout(ask, timeout);
      if (error) throw error;
      return shape(data);
    } catch (error) {
      const line = `expected an answer of the host's ${what}, found ${textOf(error)}; what needs it is left out`;
      this.sayOnce("warn", line, what);
      return undefined;
    }
  }

  /**
   * A line of the shim's own, when it was not said before.
   * @param {"warn" | "error"} level
   * @param {string} message
   * @param {string} key what makes it the same as one before
   */
  sayOnce(level, message, key = message) {
    if (this.#said.has(key) || this.#said.size >= MOST_SAID) return;
    this.#said.add(key);
    this.say(level, message);
  }

  /**
   * A line of the shim's own.
   * @param {"warn" | "error"} level
   * @param {string} message
   */
  say(level, message) {
    this.log({ type: "log", level, message, session: null, toFile: false });
  }

  /** @param {(string | null)[]} fields */
  #logToFile(fields) {
    const line = `${[new Date().toISOString(), ...fields.filter(Boolean)].join(" ")}\n`;
    const file = join(this.#directory, ".opencode", "todo-reminder.log");
    this.#logFile = this.#logFile.then(() => appendBounded(file, line)).catch(() => undefined);
  }
}

/**
 * The global folder of opencode's configuration.
 * @param {NodeJS.ProcessEnv} env
 */
export function globalFolder(env) {
  return join(env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "opencode");
}

/**
 * The places where options stand, the later ones first to be obeyed: the global file, that of the worktree's root, that of
 * the folder that opencode was started in, that of the folder that `OPENCODE_CONFIG_DIR` names (opencode itself reads it
 * after the project's), and `opencode.json`.
 * @param {{ directory: string, worktree?: string | undefined }} project as opencode names it
 * @param {unknown} options the second argument of the plugin function
 * @param {NodeJS.ProcessEnv} env
 * @returns {Source[]}
 */
export function optionSources({ directory, worktree }, options, env) {
  // Outside of a repository opencode calls the root of the file system the worktree.
  const isRepository = typeof worktree === "string" && dirname(worktree) !== worktree;
  const roots = isRepository ? [worktree, directory] : [directory];
  const folders = [
    globalFolder(env),
    ...roots.map((root) => join(root, ".opencode")),
    ...(env["OPENCODE_CONFIG_DIR"] ? [env["OPENCODE_CONFIG_DIR"]] : []),
  ];
  const files = folders.flatMap((folder) =>
    ["todo-reminder.json", "todo-reminder.jsonc"].map((name) => join(folder, name)),
  );
  const sources = [...new Set(files)].map(fileSource).filter((source) => source !== undefined);
  return options === undefined || options === null ? sources : [...sources, inlineSource(options)];
}

/**
 * @param {string} file
 * @returns {Source | undefined} nothing when there is no such file
 */
function fileSource(file) {
  try {
    return { file, text: readFileSync(file, "utf8") };
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return { file, error: code === "EISDIR" ? "a folder of that name" : message };
  }
}

/**
 * @param {unknown} options
 * @returns {Source}
 */
function inlineSource(options) {
  const file = "opencode.json";
  try {
    return { file, text: JSON.stringify(options) ?? String(options) };
  } catch (error) {
    return { file, error: failureOf(error).message };
  }
}

/** @param {any[]} messages */
const messagesOf = (messages) => messages.map(messageOf);

/**
 * What `ask` answers, or a failure when it takes too long.
 * @template T
 * @param {() => Promise<T>} ask
 * @param {number} [timeout] milliseconds
 * @returns {Promise<T>}
 */
async function withTimeout(ask, timeout = ANSWER_TIMEOUT) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const tooLate = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeout} ms`)), timeout);
    timer.unref?.();
  });
  try {
    return await /** @type {Promise<T>} */ (Promise.race([ask(), tooLate]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {string} file
 * @param {string} line
 */
async function appendBounded(file, line) {
  await mkdir(dirname(file), { recursive: true });
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size + Buffer.byteLength(line) > LOG_FILE_BYTES) await rename(file, `${file}.1`);
  await appendFile(file, line);
}
