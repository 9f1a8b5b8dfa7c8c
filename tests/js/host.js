// A host without a server: opencode's client as the plugin gets it, the order in which opencode publishes events, and a
// clock that stands still until it is told to go on. What the real one does stands in the end-to-end tests.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keep } from "../../js/keeper.js";

/** The key of the plugin's mark, written out: what is stored in people's sessions must not change by a renaming. */
export const MARK = "opencode-todo-keeper";

/** The delay before a reminder when no option says otherwise. */
export const IDLE_DELAY_MS = 500;

/** Every method of the client that the plugin may call. */
export const METHODS = [
  "session.todo",
  "session.get",
  "session.status",
  "session.list",
  "session.messages",
  "session.promptAsync",
  "session.prompt",
  "session.update",
  "app.agents",
  "app.log",
  "tui.showToast",
];

const MODEL = { providerID: "scripted", modelID: "one" };

/** A clock and its timers. A timer is only what `keep` asked for: an act and when it is due. */
export class ManualClock {
  #now = 1_800_000_000_000;
  /** @type {Set<{ act: () => void, due: number }>} */
  #timers = new Set();

  now = () => this.#now;

  setTimer = (act, delay) => {
    const timer = { act, due: this.#now + delay };
    this.#timers.add(timer);
    return timer;
  };

  clearTimer = (timer) => {
    this.#timers.delete(timer);
  };

  /** Lets an hour pass for whoever waits for the clock, until `promise` is done. */
  async meanwhile(promise) {
    let isDone = false;
    promise.then(
      () => {
        isDone = true;
      },
      () => {
        isDone = true;
      },
    );
    await settled();
    if (!isDone) await this.advance(3_600_000);
    return promise;
  }

  /** How many timers run. */
  get armed() {
    return this.#timers.size;
  }

  /** Lets `ms` pass: every timer that becomes due goes off at its time. */
  async advance(ms) {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers]
        .filter(({ due }) => due <= end)
        .sort((a, b) => a.due - b.due);
      if (!next) break;
      this.#now = next.due;
      this.#timers.delete(next);
      next.act();
      await settled();
    }
    this.#now = end;
    await settled();
  }
}

/** Everything that only waits for promises has been done. */
export async function settled() {
  // A chain of promises ends within one round; what it starts by a timer of its own may take another.
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A folder of its own, and an environment in which no options of the person who runs the tests are found. */
export function emptyProject() {
  const folder = mkdtempSync(join(tmpdir(), "todo-keeper-"));
  process.env["XDG_CONFIG_HOME"] = join(folder, "config");
  delete process.env["OPENCODE_CONFIG_DIR"];
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The client's side: sessions and what opencode answers about them. */
export class FakeHost {
  /** Every call, oldest first: `{ method, request }`. */
  calls = [];
  clock = new ManualClock();
  /** What opencode would answer about its agents. */
  agents = [
    { name: "build", mode: "primary", permission: [] },
    { name: "plan", mode: "primary", permission: [] },
  ];
  /** By method, what answers in opencode's place. */
  replaced = {};
  hooks;
  /** What starts the plugin; another build's may take its place. */
  keep = keep;
  #sessions = new Map();
  #ids = 0;

  /** The client that a plugin is given. A method that is replaced by `undefined` is missing. */
  get client() {
    const client = {};
    for (const name of METHODS) {
      const [group, method] = name.split(".");
      client[group] ??= {};
      if (name in this.replaced && this.replaced[name] === undefined) continue;
      client[group][method] = (request) => {
        this.calls.push({ method: name, request });
        const answer = this.replaced[name];
        return answer ? answer(request) : this.#answer(name, request);
      };
    }
    // What opencode's client has no method for goes through its own request method.
    client.session._client = {
      delete: (request) => {
        this.calls.push({ method: "delete", request });
        const { id, messageID } = request.path;
        const session = this.of(id);
        session.messages = session.messages.filter(({ info }) => info.id !== messageID);
        return answerWith(true);
      },
    };
    return client;
  }

  /** Starts the plugin in `directory`, in an opencode that was called with the words of `command`. */
  start(directory, options, ...command) {
    const argv = ["bun", "/$bunfs/root/src/index.js", ...command];
    this.hooks = this.keep({ client: this.client, directory }, options, this.clock, argv);
    return this.hooks;
  }

  /** The requests of one method. */
  requests(method) {
    return this.calls.filter((call) => call.method === method).map(({ request }) => request);
  }

  get prompts() {
    return [...this.requests("session.promptAsync"), ...this.requests("session.prompt")];
  }

  get toasts() {
    return this.requests("tui.showToast").map(({ body }) => body);
  }

  /** The log's lines at these levels. */
  logged(...levels) {
    return this.requests("app.log")
      .map(({ body }) => body)
      .filter(({ level }) => levels.length === 0 || levels.includes(level))
      .map(({ message }) => message);
  }

  session(info = {}) {
    const id = this.#id("ses");
    this.#sessions.set(id, {
      info: { id, ...info },
      todos: [],
      messages: [],
      status: { type: "idle" },
    });
    return id;
  }

  of(session) {
    return this.#sessions.get(session);
  }

  /** Publishes an event as opencode does: synchronously, without waiting for what comes back. */
  publish(type, properties) {
    return this.hooks.event({ event: { id: this.#id("evt"), type, properties } });
  }

  /** A person writes: the hook first, then the stored message, then the turn begins. */
  async say(session, text = "build it", { agent = "build", model = MODEL, parts, ...rest } = {}) {
    const info = { ...this.#userInfo(session), agent, model, ...rest };
    await this.#store(session, info, parts ?? [{ type: "text", text }]);
    this.begin(session);
    return info;
  }

  /** The turn begins: so does every step of it. */
  begin(session) {
    this.of(session).status = { type: "busy" };
    this.publish("session.status", { sessionID: session, status: { type: "busy" } });
  }

  /** The agent writes its list. */
  write(session, todos) {
    this.of(session).todos = todos;
    this.publish("todo.updated", { sessionID: session, todos });
  }

  /** The model has said its last word of a turn. */
  stop(session) {
    const info = this.#assistantInfo(session, { finish: "stop" });
    const part = { type: "step-finish", reason: "stop", messageID: info.id, sessionID: session };
    this.#part(session, part);
    return info;
  }

  /** The order at a normal end; the person's message comes once more at last, with its summary. */
  end(session, finish = "stop") {
    const info = this.#assistantInfo(session, { finish });
    this.#part(session, {
      type: "step-finish",
      reason: finish,
      messageID: info.id,
      sessionID: session,
    });
    this.publish("message.updated", { sessionID: session, info });
    this.publish("message.updated", { sessionID: session, info });
    this.publish("session.status", { sessionID: session, status: { type: "busy" } });
    this.idle(session);
    this.updateLate(session);
  }

  /** A person rejected a permission or dismissed a question. */
  refuse(session) {
    const info = this.#assistantInfo(session, { finish: "tool-calls" });
    this.#part(session, {
      type: "step-finish",
      reason: "tool-calls",
      messageID: info.id,
      sessionID: session,
    });
    this.publish("message.updated", { sessionID: session, info });
    this.publish("message.updated", { sessionID: session, info });
    this.idle(session);
    this.updateLate(session);
  }

  /** Esc, and every error of a provider: the error twice, and idle twice. */
  fail(session, error = { name: "MessageAbortedError", data: { message: "Aborted" } }) {
    const info = this.#assistantInfo(session, { error });
    this.publish("session.error", { sessionID: session, error });
    this.idle(session);
    this.publish("message.updated", { sessionID: session, info });
    this.idle(session);
  }

  /** Esc as older hosts publish it: the error is on the message alone. */
  failQuietly(session, error = { name: "MessageAbortedError", data: { message: "Aborted" } }) {
    const info = this.#assistantInfo(session, { error });
    this.publish("message.updated", { sessionID: session, info });
    this.idle(session);
  }

  /** The host waits to ask the provider again. */
  retry(session) {
    const status = { type: "retry", attempt: 1, message: "slow down", next: this.clock.now() };
    this.of(session).status = status;
    this.publish("session.status", { sessionID: session, status });
  }

  /** Esc while the host waits to ask again: the message tells neither an error nor a finish. */
  failInRetry(session) {
    this.publish("message.updated", {
      sessionID: session,
      info: this.#assistantInfo(session, {}),
    });
    this.idle(session);
  }

  idle(session) {
    this.of(session).status = { type: "idle" };
    this.publish("session.status", { sessionID: session, status: { type: "idle" } });
    this.publish("session.idle", { sessionID: session });
  }

  /** The last user message again: it says nothing new. */
  updateLate(session) {
    const last = this.of(session).messages.findLast(({ info }) => info.role === "user");
    if (!last) return;
    const info = { ...last.info, summary: { diffs: [] } };
    this.publish("message.updated", { sessionID: session, info });
  }

  /** A person gives a slash command, as opencode runs it: the template's text, the hook, and then the model. */
  async command(session, name, args = "") {
    const config = { command: {} };
    await this.hooks.config?.(config);
    const { template } = config.command[name];
    const parts = [{ type: "text", text: `${template}${args && `\n\n${args}`}` }];
    const input = { command: name, sessionID: session, arguments: args };
    await this.hooks["command.execute.before"]?.(input, { parts });
    await this.say(session, "", { parts });
  }

  #answer(method, request) {
    const session = request?.path && this.of(request.path.id);
    if (request?.path && !session) {
      return answerWith(undefined, { name: "NotFoundError", data: { message: "no such session" } });
    }
    switch (method) {
      case "session.todo":
        return answerWith(session.todos);
      case "session.get":
        return answerWith(session.info);
      case "session.messages":
        return answerWith(session.messages.slice(-request.query.limit));
      case "session.status": {
        const running = [...this.#sessions].filter(([, { status }]) => status.type !== "idle");
        return answerWith(Object.fromEntries(running.map(([id, { status }]) => [id, status])));
      }
      case "session.list":
        return answerWith([...this.#sessions.values()].map(({ info }) => info).reverse());
      case "session.promptAsync":
        return this.#take(request).then(() => answerWith({}));
      case "session.prompt":
        return this.#take(request).then((info) => answerWith({ info, parts: [] }));
      case "session.update":
        Object.assign(session.info, request.body);
        return answerWith(session.info);
      case "app.agents":
        return answerWith(this.agents);
      default:
        return answerWith(true);
    }
  }

  /** A plugin's prompt becomes a user message as a person's does, and a turn begins unless it wants no reply. */
  async #take({ path, body: { parts, noReply, ...identity } }) {
    const info = { ...this.#userInfo(path.id), ...identity };
    await this.#store(path.id, info, parts);
    if (!noReply) this.begin(path.id);
    return info;
  }

  async #store(session, info, parts) {
    const stored = parts.map((part) => this.#stored(info, part));
    await this.hooks["chat.message"]?.({ sessionID: session }, { message: info, parts: stored });
    this.of(session).messages.push({ info, parts: stored });
    this.publish("message.updated", { sessionID: session, info });
    for (const part of stored) this.#part(session, part);
  }

  #stored({ id, sessionID }, part) {
    return { id: this.#id("prt"), messageID: id, sessionID, ...part };
  }

  #part(session, part) {
    this.publish("message.part.updated", { sessionID: session, part, time: this.clock.now() });
  }

  #userInfo(session) {
    const time = { created: this.clock.now() };
    return { id: this.#id("msg"), role: "user", sessionID: session, time };
  }

  #assistantInfo(session, ending) {
    const time = { created: this.clock.now(), completed: this.clock.now() };
    const id = this.#id("msg");
    const info = { id, role: "assistant", sessionID: session, agent: "build", time, ...ending };
    this.of(session).messages.push({ info, parts: [] });
    return info;
  }

  /** opencode's ids ascend. */
  #id(kind) {
    this.#ids += 1;
    return `${kind}_${String(this.#ids).padStart(8, "0")}`;
  }
}

/** What a method of the client resolves to; it does not reject for what the server says. */
export async function answerWith(data, error) {
  return error ? { error, request: {}, response: {} } : { data, request: {}, response: {} };
}

export const todo = (content, status = "pending") => ({ content, status, priority: "medium" });

/** A host in which a turn has just ended with an unfinished todo; the reminder is in view. */
export async function hostInView(directory, options) {
  const host = new FakeHost();
  host.start(directory, options);
  const session = host.session();
  await endWithTodos(host, session);
  return { host, session };
}

export async function endWithTodos(host, session, todos = [todo("write the tests")]) {
  await host.say(session);
  host.write(session, todos);
  host.end(session);
}
