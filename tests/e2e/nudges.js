// What the tests of the nudge look for in the requests that the model was sent.

import assert from "node:assert/strict";
import { call, plainText } from "./model.js";

/** A phrase of the default wording. opencode puts `<system-reminder>` blocks of its own into requests. */
const WORDING = "in case it has gone stale";

/**
 * `count` replies that leave the todo list alone. Each differs: opencode asks about the third call that is the same. They
 * read, because what searches or lists needs a program that opencode fetches from elsewhere.
 */
export const silent = (count) => Array.from({ length: count }, silentCall);

let calls = 0;

/** One such reply. */
export function silentCall() {
  calls += 1;
  return call("read", { filePath: "opencode.json", limit: calls });
}

/** The same reply, but by its count of tokens the conversation has outgrown the model. */
export const overflowing = (reply) => ({
  ...reply,
  usage: { prompt_tokens: 199_000, completion_tokens: 5, total_tokens: 199_005 },
});

/** Whether something of a nudge is anywhere in `value`. */
export const hasNudge = (value) => JSON.stringify(value).includes(WORDING);

/** Which of the requests carry a nudge, the first one being 1. */
export const nudged = (requests) =>
  requests.flatMap(({ messages }, index) => (hasNudge(messages) ? [index + 1] : []));

/** The one nudge of a request: the block, without what stands before it. */
export function nudgeOf({ messages }) {
  const holders = messages.filter(hasNudge).map((message) => plainText(message));
  assert.equal(holders.length, 1, "one message carries the nudge");
  const blocks = holders[0].match(/<system-reminder>\n[^<]*<\/system-reminder>/g) ?? [];
  const nudges = blocks.filter(hasNudge);
  assert.equal(nudges.length, 1, holders[0]);
  return nudges[0];
}

/** The lines of a nudge that list todos. */
export const listed = (nudge) => nudge.split("\n").filter((line) => /^\d+\. \[/.test(line));

/**
 * Whatever was nudged, each request of one turn begins with the whole one before it, as it would have been without its
 * nudge, byte for byte; that is what a provider has cached.
 */
export function assertPrefixes(requests) {
  for (const [index, request] of requests.entries()) {
    const { messages, raw } = request;
    assert.notEqual(messages.at(-1).role, "assistant", `request ${index + 1}`);
    const kept = hasNudge(messages) ? withoutTail(messages) : messages;
    const bytes = JSON.stringify(kept).slice(0, -1);
    const start = raw.indexOf('"messages":[') + '"messages":'.length;
    assert.ok(raw.startsWith(bytes, start), `request ${index + 1} as it was sent`);
    const next = requests[index + 1];
    if (!next) continue;
    const nextStart = next.raw.indexOf('"messages":[') + '"messages":'.length;
    assert.ok(next.raw.startsWith(bytes, nextStart), `request ${index + 1} begins the next one`);
  }
}

function withoutTail(messages) {
  const last = messages.at(-1);
  assert.equal(last.role, "user");
  assert.match(plainText(last), /^<system-reminder>\n[^<]*<\/system-reminder>$/);
  return messages.slice(0, -1);
}
