// opencode as a model: sessions, turns and the order of events as the real one has them, but a client that may answer late,
// wrongly or never. Synchronous, so that a hundred thousand sequences take a minute. What the plugin must never do is checked
// where it does it: in `Oracle`.

import { addCommand } from "../../js/command.js";
import { keep } from "../../js/keeper.js";
import { oneAtWork } from "../../js/registry.js";
import { METHODS } from "../js/host.js";
import { Clock, quiet } from "./clock.js";
import { Oracle } from "./oracle.js";

const MODEL = { providerID: "scripted", modelID: "one" };
const ABORT = { name: "MessageAbortedError", data: { message: "Aborted" } };
const FAILURE = { name: "APIError", data: { message: "no" } };

/**
 * How the client answers. Late ones are answered by a later move; what they tell is what was true when they were asked
 * (`stale`) or when they are answered (`slow`).
 */
export const ANSWERS = ["at once", "stale", "slow", "never", "rejects", "fails", "junk"];

/** Answered at once whatever the model says: nothing depends on their answers. */
const UNIMPORTANT = ["app.log", "tui.showToast", "app.agents"];

/** The text of the plugin's command. */
const COMMAND = (() => {
  const config = { command: {} };
  addCommand(config);
  return config.command["todo-keeper"].template;
})();

const AGENTS = [
  { name: "build", mode: "primary", permission: [] },
  { name: "plan", mode: "primary", permission: [] },
];

let directories = 0;

export class Host {
  clock = new Clock();
  oracle;
  /** All sessions that ever were, oldest first. */
  sessions = [];
  /** The loaded copies of the plugin, oldest first. */
  copies = [];
  /** Those that are gone, but still hear of everything: a host may be late to let them go. */
  gone = [];
  /** Answers that are still to come, each an act. */
  late = [];
  /** Makes the next input of the core trap. */
  trapNext = () => {};
  /** Events that are still to come. */
  tails = [];
  /** What the hooks that opencode waits for did not do yet. */
  open = 0;
  #ids = 0;
  #answers;
  #options;
  #client;
  #directory;

  /** @param {{ options: object, answers: string[] }} plan */
  constructor({ options, answers }) {
    directories += 1;
    this.#directory = `/model/${directories}`;
    this.#options = options;
    this.#answers = [...answers].reverse();
    this.oracle = new Oracle(options, this);
    this.clock.seize();
    this.#client = this.#newClient();
    this.load();
    this.create();
  }

  // The plugin's copies.

  load() {
    const input = { client: this.#client, directory: this.#directory };
    const start = () => keep(input, this.#options, this.clock);
    const hooks = oneAtWork(input, start, () => undefined);
    this.copies.push(hooks);
  }

  /** A copy goes; another one may take over. */
  async dispose(which = 0) {
    const [hooks] = this.copies.splice(which, 1);
    if (!hooks) return;
    const isWorking = which === 0;
    this.gone.push(hooks);
    await this.#wait(hooks.dispose());
    if (!isWorking) return;
    if (this.copies.length === 0 && this.clock.hasAlarm)
      this.oracle.faults.push("an alarm is left after dispose");
    this.oracle.forgot();
  }

  /** opencode reloads the directory. */
  async reload() {
    while (this.copies.length > 0) await this.dispose();
    this.#stopAll();
    this.load();
  }

  /** The process is killed: nobody is told, and what was under way never ends. */
  kill() {
    this.copies = [];
    this.gone = [];
    this.late = [];
    this.tails = [];
    this.open = 0;
    this.clock.forget();
    this.#client = this.#newClient();
    this.#stopAll();
    this.oracle.forgot();
    this.load();
  }

  #stopAll() {
    for (const session of this.sessions) {
      session.status = "idle";
      session.answer = undefined;
      session.asks = [];
    }
  }

  // Sessions and turns, as opencode has them.

  create(parent) {
    const id = this.#id("ses");
    const info = { id, ...(parent && { parentID: parent.id }) };
    const session = {
      id,
      info,
      todos: [],
      messages: [],
      status: "idle",
      answer: undefined,
      asks: [],
      isGone: false,
    };
    this.sessions.push(session);
    this.oracle.created(session);
    this.#publish("session.created", { info });
    return session;
  }

  remove(session) {
    session.isGone = true;
    session.status = "idle";
    this.oracle.deleted(session);
    this.#publish("session.deleted", { info: session.info });
  }

  /** A person writes. Into a running turn too: the message is queued, and the turn goes on to it. */
  async say(session, agent = "build") {
    await this.#store(session, { agent, model: MODEL }, [{ type: "text", text: "build it" }]);
    this.#begin(session);
  }

  /** Another plugin, or opencode itself, writes. */
  async sayAsMachine(session) {
    const part = { type: "text", text: "go on", synthetic: true };
    await this.#store(session, { agent: "build", model: MODEL }, [part]);
    this.#begin(session);
  }

  write(session, todos) {
    const input = { todos };
    if (session.answer) {
      const part = { type: "tool", tool: "todowrite", state: { status: "completed", input } };
      this.#answerOf(session).parts.push(part);
    }
    session.todos = todos;
    this.oracle.listed(session);
    this.#publish("todo.updated", { sessionID: session.id, todos });
  }

  /** The agent writes its list by the tool, which the guard sees first. */
  writeByTool(session, todos) {
    const [hooks] = this.copies;
    const call = { tool: "todowrite", sessionID: session.id, callID: this.#id("call") };
    const args = { todos: [...todos] };
    const { answer } = session;
    this.#wait(hooks?.["tool.execute.before"]?.(call, { args }))
      .then(() => {
        const isRunning = session.answer === answer && session.status !== "idle";
        if (session.isGone || !isRunning || !this.copies.includes(hooks)) return undefined;
        this.write(session, args.todos);
        return this.#wait(hooks["tool.execute.after"](call, { output: "[]" }));
      })
      .catch((error) => this.oracle.faults.push(`a tool's hook: ${error}`));
  }

  /** A request goes to the model. */
  request(session) {
    const messages = session.messages.map(({ info, parts }) => ({ info, parts: [...parts] }));
    const [hooks] = this.copies;
    this.#wait(hooks?.["experimental.chat.messages.transform"]?.({}, { messages }));
  }

  compact(session) {
    const [hooks] = this.copies;
    const input = { sessionID: session.id };
    this.#wait(hooks?.["experimental.session.compacting"]?.(input, { context: [] }));
  }

  /** A turn ends with an answer: `stop`, `tool-calls` when the person said no, `length`. */
  end(session, finish) {
    this.#goOn(session);
    const info = this.#finish(session, { finish });
    if (finish === "tool-calls" || finish === "length") this.oracle.failed(session, info, true);
    else this.oracle.answered(session, info);
    this.#publish("message.updated", { sessionID: session.id, info });
    this.#publish("session.status", { sessionID: session.id, status: { type: "busy" } });
    this.idle(session);
    const last = session.messages.findLast(({ info }) => info.role === "user");
    if (last) this.#publish("message.updated", { sessionID: session.id, info: last.info });
  }

  /** A message that was queued is answered before the turn ends. */
  #goOn(session) {
    const last = session.messages.findLast(({ info }) => info.role === "user");
    if (last.info.id < session.answer) return;
    const info = this.#finish(session, { finish: "stop" });
    this.#publish("message.updated", { sessionID: session.id, info });
    session.answer = this.#newAnswer(session);
  }

  /** A message that was queued when the turn was stopped is answered after all. */
  answerQueued(session) {
    const last = session.messages.at(-1);
    if (last?.info.role === "user") this.#begin(session);
  }

  /** A turn ends with an error: told by the message alone, by the session too, or by the message late. */
  fail(session, how) {
    const error = how.startsWith("abort") ? ABORT : FAILURE;
    const info = this.#finish(session, { error });
    const tell = () => this.#publish("message.updated", { sessionID: session.id, info });
    this.oracle.failed(session, info, false);
    if (how === "abort") {
      tell();
      this.idle(session);
      return;
    }
    this.oracle.failed(session, undefined, false);
    this.#publish("session.error", { sessionID: session.id, error });
    this.idle(session);
    const tail = () => {
      if (session.isGone) return;
      this.oracle.failedLate(session, info);
      tell();
      if (session.status === "idle") this.idle(session);
    };
    if (how.endsWith("late")) this.tails.push(tail);
    else tail();
  }

  retry(session) {
    session.status = "retry";
    this.oracle.retries(session);
    const status = { type: "retry", attempt: 1, message: "slow down", next: this.clock.now() };
    this.#publish("session.status", { sessionID: session.id, status });
  }

  /** Esc while opencode waits to try again: the message tells neither an error nor a finish. */
  stopRetry(session) {
    const info = this.#finish(session, {});
    this.oracle.stoppedRetry(session, info);
    this.#publish("message.updated", { sessionID: session.id, info });
    this.idle(session);
  }

  idle(session) {
    session.status = "idle";
    session.answer = undefined;
    session.asks = [];
    this.oracle.idle(session);
    this.#publish("session.status", { sessionID: session.id, status: { type: "idle" } });
    this.#publish("session.idle", { sessionID: session.id });
  }

  ask(session) {
    const id = this.#id("per");
    session.asks.push(id);
    this.#publish("permission.asked", { sessionID: session.id, id });
  }

  reply(session) {
    const requestID = session.asks.pop();
    this.#publish("permission.replied", { sessionID: session.id, requestID, reply: "once" });
  }

  /** A person gives the plugin's command; opencode is told to leave the model alone. */
  command(session, word) {
    const [hooks] = this.copies;
    const input = { command: "todo-keeper", sessionID: session.id, arguments: word };
    const parts = [{ type: "text", text: `${COMMAND}\n\n${word}` }];
    this.oracle.commanded(session, word);
    const ended = hooks?.["command.execute.before"]?.(input, { parts });
    if (!ended) return this.oracle.answeredCommand(session, word);
    const answered = () => this.oracle.answeredCommand(session, word);
    const notEnded = () => {
      answered();
      if (this.copies.includes(hooks)) this.oracle.faults.push("a command was not ended");
    };
    this.#wait(ended.then(notEnded, answered));
  }

  // The client.

  #newClient() {
    const client = {};
    for (const name of METHODS) {
      const [group, method] = name.split(".");
      client[group] ??= {};
      client[group][method] = (request) => this.#asked(client, name, request);
    }
    return client;
  }

  #asked(client, method, request) {
    // The call of a process that is dead.
    if (client !== this.#client) return new Promise(() => {});
    if (UNIMPORTANT.includes(method))
      return Promise.resolve({ data: method === "app.agents" ? AGENTS : true });
    const session = this.sessions.find(({ id }) => id === request?.path?.id);
    const prompt = method === "session.promptAsync" ? this.oracle.prompted(session, request) : null;
    const how = this.#answers.pop() ?? "at once";
    const failed = () => {
      this.oracle.refused(session, method, prompt);
    };
    // Of what is not answered in time the plugin says that it did not happen.
    const doubtful = () => {
      if (!prompt) failed();
    };
    switch (how) {
      case "at once":
        return this.#answer(method, session, request, prompt);
      case "stale": {
        doubtful();
        const answer = this.#answer(method, session, request, prompt);
        return new Promise((resolve) => this.late.push(() => resolve(answer)));
      }
      case "slow":
        if (method === "session.update") return this.#answer(method, session, request, prompt);
        doubtful();
        return new Promise((resolve) => {
          this.late.push(() => resolve(this.#answer(method, session, request, prompt)));
        });
      case "never":
        doubtful();
        return new Promise(() => {});
      case "rejects":
        failed();
        return Promise.reject(new Error("no connection"));
      case "fails":
        failed();
        return Promise.resolve({ error: { name: "UnknownError", data: { message: "no" } } });
      default:
        // No error: of what is to be done that means that it was done.
        if (prompt || method === "session.update")
          return this.#answer(method, session, request, prompt);
        failed();
        return Promise.resolve({ data: [null, 42] });
    }
  }

  async #answer(method, session, request, prompt) {
    if (request?.path && (!session || session.isGone)) {
      this.oracle.refused(session, method, prompt);
      return { error: { name: "NotFoundError", data: { message: "no such session" } } };
    }
    switch (method) {
      case "session.todo":
        return { data: session.todos };
      case "session.get":
        return { data: { ...session.info } };
      case "session.messages":
        return { data: session.messages.slice(-request.query.limit) };
      case "session.status":
        return {
          data: Object.fromEntries(
            this.sessions
              .filter(({ status, isGone }) => status !== "idle" && !isGone)
              .map(({ id, status }) => [id, { type: status }]),
          ),
        };
      case "session.list":
        return { data: this.sessions.filter(({ isGone }) => !isGone).map(({ info }) => info) };
      case "session.promptAsync":
      case "session.prompt": {
        const { parts, noReply, ...identity } = request.body;
        await this.#store(session, identity, parts);
        if (prompt) this.oracle.took(prompt);
        if (!noReply) this.#begin(session);
        return { data: {} };
      }
      case "session.update":
        session.info = { ...session.info, ...request.body };
        this.oracle.stored(session);
        return { data: session.info };
      default:
        return { data: true };
    }
  }

  // What all of it is made of.

  async #store(session, identity, parts) {
    const time = { created: this.clock.now() };
    const info = { id: this.#id("msg"), role: "user", sessionID: session.id, time, ...identity };
    this.oracle.spoke(session, info, parts);
    for (const hooks of [...this.copies, ...this.gone])
      await this.#wait(
        hooks["chat.message"]?.({ sessionID: session.id }, { message: info, parts }),
      );
    if (session.isGone) return;
    session.messages.push({ info, parts });
    this.#publish("message.updated", { sessionID: session.id, info });
  }

  #begin(session) {
    if (session.isGone) return;
    session.status = "busy";
    session.answer ??= this.#newAnswer(session);
    this.oracle.busy(session);
    this.#publish("session.status", { sessionID: session.id, status: { type: "busy" } });
  }

  #newAnswer(session) {
    const info = { id: this.#id("msg"), role: "assistant", sessionID: session.id, agent: "build" };
    session.messages.push({ info, parts: [] });
    return info.id;
  }

  #answerOf(session) {
    return session.messages.findLast(({ info }) => info.id === session.answer);
  }

  #finish(session, ending) {
    const message = this.#answerOf(session);
    const time = { created: this.clock.now(), completed: this.clock.now() };
    message.info = { ...message.info, time, ...ending };
    return message.info;
  }

  #publish(type, properties) {
    const event = { type, properties };
    for (const hooks of [...this.copies, ...this.gone]) {
      try {
        hooks.event?.({ event });
      } catch (error) {
        this.oracle.faults.push(`the event hook threw ${error}`);
      }
    }
  }

  async #wait(promise) {
    this.open += 1;
    const { copies } = this;
    try {
      await promise;
    } catch (error) {
      this.oracle.faults.push(`a hook rejected: ${error}`);
    } finally {
      // What a killed process waited for is not counted.
      if (copies === this.copies) this.open -= 1;
    }
  }

  /** opencode's ids ascend. */
  #id(kind) {
    this.#ids += 1;
    return `${kind}_${String(this.#ids).padStart(6, "0")}`;
  }

  /** A turn that ends with something left to do is still reminded of. */
  async stillReminds() {
    await this.finish();
    if (this.copies.length === 0) this.load();
    await this.clock.advance(60_000);
    const session = this.create();
    await this.say(session);
    this.write(session, [{ content: "a", status: "pending", priority: "medium" }]);
    this.end(session, "stop");
    const before = this.oracle.count;
    await this.clock.advance(5_000);
    if (this.oracle.count === before) this.oracle.faults.push("no reminder came any more");
  }

  /** Whatever is still to come comes, and every time limit passes. */
  async finish() {
    this.#answers = [];
    for (const tail of this.tails.splice(0)) tail();
    for (const answer of this.late.splice(0)) answer();
    await quiet();
  }

  /** The end: nothing is left of the plugin. */
  async close() {
    await this.finish();
    while (this.copies.length > 0) await this.dispose();
    this.oracle.isOver = true;
    await this.clock.advance(120_000);
    await this.finish();
    await this.clock.advance(120_000);
    if (this.clock.armed > 0) this.oracle.faults.push("a timer is left after dispose");
    if (this.open > 0) this.oracle.faults.push(`${this.open} hooks never ended`);
  }
}
