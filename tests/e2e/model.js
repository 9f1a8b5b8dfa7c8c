// A scripted model: an OpenAI-compatible server on loopback whose answers the test writes down beforehand.
// It keeps every request body byte for byte, because what a plugin does to a request can only be seen there.

import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** A reply of plain text, which ends the turn. `finish` may be "length" or "content_filter"; `usage` counts tokens. */
export const text = (content, { finish = "stop", usage = USAGE } = {}) => ({
  kind: "answer",
  content,
  calls: [],
  finish,
  usage,
});

/** A reply that calls one tool. */
export const call = (tool, args) => calls([tool, args]);

/** A reply with several tool calls at once, each a pair `[tool, args]`. A string as arguments is sent as it is. */
export const calls = (...pairs) => ({
  kind: "answer",
  content: "",
  calls: pairs,
  finish: "tool_calls",
  usage: USAGE,
});

/** A reply that calls `todowrite`; a todo is a pair `[content, status]` or a whole object. */
export const todos = (...list) => call("todowrite", { todos: list.map(todo) });

/** One todo as opencode stores it. */
export const todo = (entry) =>
  Array.isArray(entry)
    ? { content: entry[0], status: entry[1], priority: entry[2] ?? "medium" }
    : entry;

/** An HTTP error. opencode retries 429 and 5xx, and ends the turn on the others. */
export const failure = (
  status = 400,
  body = { error: { message: "scripted failure", type: "invalid_request_error" } },
) => ({
  kind: "failure",
  status,
  body,
});

/** An answer that comes only after `ms`, so that a test can act in the middle of a turn. */
export const delayed = (ms, reply) => ({ kind: "delayed", ms, reply });

/** A stream that starts, may say something, and never ends: for aborts. */
export const never = (content = "") => ({ kind: "never", content });

/**
 * Starts the model. `script` is a list of replies, or a function `(request) => reply`, for the requests that carry
 * tools, which are those of a session's loop. Titles and summaries carry none and are answered by `aside`.
 */
export async function startModel({ script = [], aside = defaultAside } = {}) {
  const model = new Model(script, aside);
  await model.listen();
  return model;
}

const defaultAside = () => text("A title");

class Model {
  #server = createServer((request, response) => {
    this.#answer(request, response).catch((error) => {
      if (error.name !== "AbortError") this.faults.push(error);
      response.destroy();
    });
  });
  #script;
  #aside;
  #abandoned = new AbortController();

  /** Requests of session loops, oldest first. */
  requests = [];
  /** Requests without tools, oldest first: titles and summaries. */
  asides = [];
  /** What went wrong in a script, or requests that no reply was left for. Empty when the test went as written. */
  faults = [];

  constructor(script, aside) {
    this.#aside = aside;
    this.play(script);
  }

  /** Replaces the script and forgets what was recorded, so that tests can share one server. */
  play(script, aside = defaultAside) {
    this.#script = typeof script === "function" ? script : this.#inOrder([...script]);
    this.#aside = aside;
    this.requests = [];
    this.asides = [];
    this.faults = [];
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  async listen() {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async stop() {
    const closed = once(this.#server, "close");
    this.#abandoned.abort();
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #inOrder(replies) {
    return (request) => {
      if (replies.length > 0) return replies.shift();
      this.faults.push(
        new Error(`no reply is left for request ${request.number}: ${request.lastUserText}`),
      );
      return text("The script has ended.");
    };
  }

  async #answer(incoming, response) {
    const raw = await readBody(incoming);
    const request = parseRequest(raw);
    const isLoop = request.tools.length > 0;
    const record = isLoop ? this.requests : this.asides;
    record.push(request);
    request.number = record.length;
    let reply = await (isLoop ? this.#script : this.#aside)(request);
    while (reply.kind === "delayed") {
      await sleep(reply.ms, undefined, { signal: this.#abandoned.signal });
      reply = reply.reply;
    }
    send(response, reply, request);
  }
}

async function readBody(incoming) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function parseRequest(raw) {
  const body = JSON.parse(raw);
  const messages = body.messages ?? [];
  const users = messages.filter((message) => message.role === "user");
  return {
    raw,
    body,
    model: body.model,
    messages,
    tools: (body.tools ?? []).map((tool) => tool.function?.name),
    system: messages
      .filter((message) => message.role === "system")
      .map((message) => plainText(message))
      .join("\n"),
    lastUserText: plainText(users.at(-1)),
  };
}

/** The text of a chat message, whose content is a string or a list of parts. */
export function plainText(message) {
  const content = message?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((part) => part.text ?? "").join("\n");
}

function send(response, reply, request) {
  if (reply.kind === "failure") {
    response.writeHead(reply.status, { "content-type": "application/json" });
    response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const chunk = (delta, finish = null, usage) =>
    response.write(
      `data: ${JSON.stringify({
        id: `reply-${request.number}`,
        object: "chat.completion.chunk",
        created: 1,
        model: request.model,
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...(usage && { usage }),
      })}\n\n`,
    );
  chunk({ role: "assistant", content: "" });
  if (reply.content) chunk({ content: reply.content });
  if (reply.kind === "never") return;
  for (const [index, [tool, args]] of reply.calls.entries()) {
    chunk({ tool_calls: [toolCall(tool, args, index)] });
  }
  chunk({}, reply.finish, reply.usage);
  response.end("data: [DONE]\n\n");
}

let callCount = 0;

function toolCall(tool, args, index) {
  // Call ids must differ between sessions too: opencode runs some of them at the same time.
  callCount += 1;
  return {
    index,
    id: `call_${callCount}`,
    type: "function",
    function: { name: tool, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  };
}
