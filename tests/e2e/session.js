// One session of a running opencode, driven over the HTTP API as a client drives it.

/** The key of `metadata` by which a text part is known as one of the plugin's reminders. */
export const MARK = "opencode-todo-keeper";

/** A turn may be one of twenty requests, on a machine that has other things to do. */
const TURN_TIMEOUT_MS = 60_000;

export class Session {
  #opencode;
  // What was answered already: the event that says so comes after the answer's own answer.
  #answered = new Set();

  constructor(opencode, id) {
    this.#opencode = opencode;
    this.id = id;
  }

  /** Sends a message and returns at once. `content` is a text or a list of parts; `fields` are agent, model, variant… */
  prompt(content, fields = {}) {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return this.#call("POST", "/prompt_async", { parts, ...fields });
  }

  /** Sends a message and waits until the session next goes idle. */
  async say(content, fields) {
    const from = this.#opencode.events.all.length;
    await this.prompt(content, fields);
    await this.idle({ from, timeout: TURN_TIMEOUT_MS });
  }

  /** Runs a shell command as a person does with `!`. */
  shell(command, agent = "build") {
    return this.#call("POST", "/shell", { agent, command });
  }

  /** Runs a slash command. */
  command(name, fields = {}) {
    return this.#call("POST", "/command", { command: name, arguments: "", ...fields });
  }

  /** Compacts the session as `/compact` does; returns when that is done. */
  compact(model = { providerID: "scripted", modelID: "one" }) {
    return this.#call("POST", "/summarize", model);
  }

  /** What Esc does. */
  abort() {
    return this.#call("POST", "/abort");
  }

  revert(messageID) {
    return this.#call("POST", "/revert", { messageID });
  }

  unrevert() {
    return this.#call("POST", "/unrevert");
  }

  /** Changes title, metadata or `time: { archived }`. */
  update(fields) {
    return this.#call("PATCH", "", fields);
  }

  delete() {
    return this.#call("DELETE", "");
  }

  info() {
    return this.#call("GET", "");
  }

  todos() {
    return this.#call("GET", "/todo");
  }

  messages() {
    return this.#call("GET", "/message");
  }

  async children() {
    const children = await this.#call("GET", "/children");
    return children.map(({ id }) => new Session(this.#opencode, id));
  }

  /** The plugin's reminders, oldest first: `{ number, text, part, info }`. */
  async reminders() {
    const messages = await this.messages();
    return messages.flatMap(({ info, parts }) =>
      parts
        .filter((part) => info.role === "user" && part.metadata?.[MARK]?.reminder > 0)
        .map((part) => ({ number: part.metadata[MARK].reminder, text: part.text, part, info })),
    );
  }

  /** Waits for the `count`-th reminder since the server started, and returns the part that carries it. */
  async reminded(count = 1, options) {
    const seen = () => this.events.filter(isReminder);
    await this.#opencode.events.until(() => seen().length >= count, {
      what: `reminder ${count}`,
      ...options,
    });
    return seen()[count - 1].properties.part;
  }

  /** The events of this session since the server started. */
  get events() {
    return this.#opencode.events.all.filter((event) => sessionOf(event) === this.id);
  }

  /** The first event of this session that has the type and fits `fits`. */
  waitFor(type, { fits = () => true, ...options } = {}) {
    const matches = (event) =>
      event.type === type && sessionOf(event) === this.id && fits(event.properties);
    return this.#opencode.events.waitFor(matches, { what: `${type} in ${this.id}`, ...options });
  }

  idle(options) {
    return this.waitFor("session.idle", options);
  }

  /** Waits until a tool runs, so that a test can act in the middle of it. */
  running(tool) {
    return this.waitFor("message.part.updated", {
      fits: ({ part }) => part.tool === tool && part.state.status === "running",
    });
  }

  /** Waits for a permission that is asked for, then answers it: "once", "always" or "reject", with a message or not. */
  async replyToPermission(reply, message) {
    await this.#answer("permission.asked", "permission", "reply", { reply, message });
  }

  /** Waits for a question, then answers it: a list of labels for each of its questions. */
  async replyToQuestion(answers) {
    await this.#answer("question.asked", "question", "reply", { answers });
  }

  /** Waits for a question, then dismisses it. */
  async rejectQuestion() {
    await this.#answer("question.asked", "question", "reject");
  }

  async #answer(asked, kind, action, body) {
    const { id } = (await this.waitFor(asked, { fits: ({ id }) => !this.#answered.has(id) }))
      .properties;
    this.#answered.add(id);
    await this.#opencode.api("POST", `/${kind}/${id}/${action}`, body);
  }

  #call(method, route, body) {
    return this.#opencode.api(method, `/session/${this.id}${route}`, body);
  }
}

/** The session that an event is about, if any. */
export function sessionOf({ properties = {} }) {
  return properties.sessionID ?? properties.info?.sessionID ?? properties.part?.sessionID;
}

function isReminder({ type, properties }) {
  return type === "message.part.updated" && properties.part.metadata?.[MARK]?.reminder > 0;
}
