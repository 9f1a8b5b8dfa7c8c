// A message at the end of a request, as the adapters of providers that want roles to take turns make of it.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { hasNudge } from "./nudges.js";
import { startOpencode } from "./opencode.js";
import { packedPlugin } from "./package.js";

const LIST = { todos: [{ content: "read the code", status: "pending", priority: "medium" }] };
/** The calls of the model, one a request; then it ends the turn. */
const CALLS = [
  ["todowrite", LIST],
  ["read", { filePath: "opencode.json", limit: 1 }],
  ["read", { filePath: "opencode.json", limit: 2 }],
];

/** How each provider streams a call of a tool, or the end of the turn. */
const STREAMS = {
  anthropic(call) {
    const block = call
      ? { type: "tool_use", id: `toolu_${call[2]}`, name: call[0], input: {} }
      : { type: "text", text: "" };
    const delta = call
      ? { type: "input_json_delta", partial_json: JSON.stringify(call[1]) }
      : { type: "text_delta", text: "Done." };
    const usage = { input_tokens: 10, output_tokens: 5 };
    const message = {
      ...{ id: "msg", type: "message", role: "assistant", model: "m", content: [], usage },
      ...{ stop_reason: null, stop_sequence: null },
    };
    const stop_reason = call ? "tool_use" : "end_turn";
    return [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
  },
  google(call) {
    const part = call ? { functionCall: { name: call[0], args: call[1] } } : { text: "Done." };
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const content = { role: "model", parts: [part] };
    return [{ candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata }];
  },
};

/** What the providers were sent by session loops, oldest first: bodies with tools. */
const requests = { anthropic: [], google: [] };
const server = createServer(async (incoming, response) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const provider = incoming.url.split("/")[1];
  const isLoop = (body.tools ?? []).length > 0;
  const count = isLoop ? requests[provider].push(body) : Infinity;
  const call = CALLS[count - 1];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of STREAMS[provider](call && [...call, count])) {
    if (event.type) response.write(`event: ${event.type}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
});

let opencode;
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const provider = (name) => ({
    npm: `@ai-sdk/${name}`,
    options: { baseURL: `${url}/${name}`, apiKey: "none" },
    models: { one: { tool_call: true, limit: { context: 200_000, output: 8_000 } } },
  });
  opencode = await startOpencode({
    model: { url },
    plugin: [
      [
        await packedPlugin(),
        { maxAutoSubmitsPerTodo: 0, nudge: { afterRequests: 1, cooldownRequests: 1 } },
      ],
    ],
    config: {
      model: "one-anthropic/one",
      small_model: "one-anthropic/one",
      provider: { "one-anthropic": provider("anthropic"), "one-google": provider("google") },
    },
  });
});

after(async () => {
  await opencode?.stop();
  server.close();
  server.closeAllConnections();
});

async function loopOf(name) {
  const session = await opencode.session();
  await session.prompt("build it", { model: { providerID: `one-${name}`, modelID: "one" } });
  // opencode loads the adapter first.
  await session.idle({ timeout: 60_000 });
  assert.equal(requests[name].length, 4);
  return requests[name];
}

/** Caching marks move with the end of the request, with or without a nudge. */
const unmarked = (value) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)));

test("Anthropic's messages take turns, and the nudge ends the results of the last tool", async () => {
  const [, first, second, third] = await loopOf("anthropic");
  assert.ok(!hasNudge(first.messages));
  for (const { messages } of [second, third]) {
    const roles = messages.map(({ role }) => role);
    assert.ok(roles.every((role, index) => role === (index % 2 ? "assistant" : "user")));
    assert.equal(roles.at(-1), "user");
    assert.deepEqual(
      messages.at(-1).content.map(({ type }) => type),
      ["tool_result", "text"],
    );
    assert.equal(messages.filter(hasNudge).length, 1);
  }
  const kept = unmarked(second.messages);
  kept.at(-1).content.pop();
  assert.deepEqual(unmarked(third.messages).slice(0, kept.length), kept);
});

test("Gemini's contents end with the user's, right after the results of the last tool", async () => {
  const [, first, second, third] = await loopOf("google");
  assert.ok(!hasNudge(first.contents));
  for (const { contents } of [second, third]) {
    assert.ok(hasNudge(contents.at(-1)));
    assert.equal(contents.at(-1).role, "user");
    const sides = contents.map(({ role }) => role);
    assert.equal(sides[0], "user");
    // A call and its result stand side by side.
    for (const [index, { parts }] of contents.entries()) {
      if (!parts.some(({ functionCall }) => functionCall)) continue;
      assert.ok(contents[index + 1].parts.some(({ functionResponse }) => functionResponse));
    }
    assert.ok(!sides.some((side, index) => side === "model" && sides[index - 1] === "model"));
  }
  assert.deepEqual(
    third.contents.slice(0, second.contents.length - 1),
    second.contents.slice(0, -1),
  );
});
