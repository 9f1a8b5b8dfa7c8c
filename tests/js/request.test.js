// What is added to the messages of one request, where it goes, and how long it may be waited for.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { keep } from "../../js/keeper.js";
import { add } from "../../js/request.js";

const NOW = 1_800_000_000_000;
const TEXT = "<system-reminder>\nthe list\n</system-reminder>";
const MODEL = { providerID: "scripted", modelID: "one", variant: "high" };
const SESSION = "ses_1";

let count = 0;
const nextId = () => {
  count += 1;
  return `msg_${String(count).padStart(4, "0")}`;
};

const textPart = (text, fields = {}) => ({ type: "text", text, ...fields });

const user = (...parts) => ({
  info: {
    id: nextId(),
    sessionID: SESSION,
    role: "user",
    time: { created: NOW },
    agent: "coder",
    model: MODEL,
  },
  parts: parts.map((part) => (typeof part === "string" ? textPart(part) : part)),
});

const assistant = (parts, fields = {}) => ({
  info: { id: nextId(), sessionID: SESSION, role: "assistant", finish: "tool-calls", ...fields },
  parts: [{ type: "step-start" }, ...parts],
});

const toolPart = (tool, status = "completed", input = {}) => ({
  type: "tool",
  tool,
  callID: nextId(),
  state: { status, input, output: "ok" },
});

const step = (tool = "read") => assistant([toolPart(tool)]);
const answer = (text = "Done.") => assistant([textPart(text)], { finish: "stop" });

/** Adds a nudge and returns the messages as they were. */
function nudge(messages, placement = "tail") {
  const original = structuredClone(messages);
  add(messages, { text: TEXT, placement }, NOW);
  return original;
}

describe("the tail", () => {
  it("is a message of its own after the last answer, as the person of the latest user message", () => {
    const first = user("build it");
    first.info.agent = "planner";
    const latest = user("go on");
    const last = step();
    const messages = [first, step(), latest, step(), last];
    const original = nudge(messages);

    assert.deepEqual(messages.slice(0, -1), original);
    const { info, parts } = messages.at(-1);
    assert.deepEqual(info, {
      id: `${last.info.id}_nudge`,
      sessionID: SESSION,
      role: "user",
      time: { created: NOW },
      agent: "coder",
      model: MODEL,
    });
    assert.deepEqual(parts, [
      {
        id: parts[0].id,
        messageID: info.id,
        sessionID: SESSION,
        type: "text",
        text: TEXT,
        synthetic: true,
      },
    ]);
  });

  it("is one more part of the latest user message when that is the last one", () => {
    const messages = [user("build it"), step(), user("go on", "and on")];
    const original = nudge(messages);

    const { id } = messages[2].info;
    const added = messages[2].parts.pop();
    assert.deepEqual(messages, original);
    assert.equal(added.text, TEXT);
    assert.equal(added.messageID, id);
    assert.equal(added.sessionID, SESSION);
  });

  it("has ids that no other message or part has", () => {
    for (const messages of [[user("a"), step(), step()], [user("a")]]) {
      nudge(messages);
      const ids = messages.flatMap(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)]);
      const known = ids.filter((id) => id !== undefined);
      assert.equal(new Set(known).size, known.length);
    }
  });

  it("keeps from every message but the one it goes into", () => {
    const latest = user("go on");
    const messages = [user("build it"), step(), latest].map((message) =>
      message === latest ? message : deepFrozen(message),
    );
    nudge(messages);
    assert.equal(latest.parts.length, 2);

    const frozen = [user("build it"), step()].map(deepFrozen);
    nudge(frozen);
    assert.equal(frozen.length, 3);
  });
});

describe("the end of the user message", () => {
  it("is the end of its last text, wherever the message is", () => {
    const file = { type: "file", mime: "image/png", url: "data:" };
    const messages = [user("build it"), step(), user("go on", "and on", file), step(), answer()];
    const original = nudge(messages, "userMessage");

    assert.equal(messages[2].parts[1].text, `and on\n\n${TEXT}`);
    messages[2].parts[1].text = "and on";
    assert.deepEqual(messages, original);
  });

  it("is not a text that opencode keeps from the model", () => {
    const messages = [user("build it", textPart("a note", { ignored: true })), step()];
    nudge(messages, "userMessage");
    assert.deepEqual(
      messages[0].parts.map(({ text }) => text),
      [`build it\n\n${TEXT}`, "a note"],
    );
  });

  it("is a part of its own when there is no text", () => {
    for (const part of [
      { type: "compaction", auto: true },
      { type: "subtask", prompt: "a part" },
      textPart(undefined),
      textPart("a note", { ignored: true }),
    ]) {
      const messages = [user(part), step()];
      const original = nudge(messages, "userMessage");
      assert.equal(messages[0].parts.pop().text, TEXT);
      assert.deepEqual(messages, original);
    }
  });
});

describe("messages of any shape", () => {
  const shapes = {
    "no messages": () => [],
    "no user message": () => [step(), answer()],
    "only things that are no messages": () => [null, undefined, 3, "user", {}, { info: null }],
    "a user message without parts": () => [{ info: user().info }, step()],
    "parts that are no list": () => [{ info: user().info, parts: "build it" }, step()],
  };
  for (const [name, make] of Object.entries(shapes)) {
    for (const placement of ["tail", "userMessage"]) {
      it(`get nothing added: ${name}, ${placement}`, () => {
        const messages = make();
        const original = nudge(messages, placement);
        assert.deepEqual(messages, original);
      });
    }
  }

  it("get the nudge as far as there is a user message to speak as", () => {
    const shapes = [
      [user("build it"), null],
      [user("build it"), { info: null }, {}],
      [user(null, 3, {}, "build it"), step()],
      [user(), step()],
      [user("build it"), { info: { ...user().info }, parts: undefined }],
    ];
    for (const make of shapes) {
      for (const placement of ["tail", "userMessage"]) {
        const messages = structuredClone(make);
        nudge(messages, placement);
        assert.equal(JSON.stringify(messages).split("the list").length, 2);
      }
    }
  });
});

describe("the order of roles", () => {
  const conversations = {
    "after tool results": [user("a"), step(), step()],
    "after several results of one step": [
      user("a"),
      assistant([toolPart("read"), toolPart("bash")]),
    ],
    "after a failed tool": [user("a"), assistant([toolPart("read", "error")])],
    "after an interrupted tool": [user("a"), assistant([toolPart("read", "running")])],
    "after an answer": [user("a"), answer()],
    "after the person": [user("a"), step(), answer(), user("b")],
    "after two messages of the person": [user("a"), user("b"), step()],
    "after a compaction": [
      user({ type: "compaction", auto: true }),
      assistant([textPart("A summary.")], { finish: "stop", summary: true }),
      user(textPart("Continue.", { synthetic: true })),
    ],
  };
  for (const [name, messages] of Object.entries(conversations)) {
    for (const placement of ["tail", "userMessage"]) {
      it(`stays one that providers take: ${name}, ${placement}`, () => {
        const nudged = structuredClone(messages);
        nudge(nudged, placement);
        const sent = sentTo(nudged);
        assert.equal(sent[0].role, "user");
        if (placement === "tail") assert.equal(sent.at(-1).role, "user");
        // Neighbours of the user's side are taken together, results of tools among them, where a provider wants turns
        // (the end-to-end tests see it); what nobody mends is something between a call and its result.
        for (const [index, { calls }] of sent.entries()) {
          const results = sent.slice(index + 1, index + 1 + calls);
          assert.ok(results.every(({ role }) => role === "tool"));
        }
      });
    }
  }

  it("never ends with the assistant's, in the tail", () => {
    for (const messages of Object.values(conversations)) {
      const nudged = structuredClone(messages);
      nudge(nudged);
      assert.equal(nudged.at(-1).info.role, "user");
    }
  });
});

describe("the hooks of a request", () => {
  let folder;
  let config;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "request-"));
    config = process.env.XDG_CONFIG_HOME;
    process.env.XDG_CONFIG_HOME = join(folder, "none");
  });
  after(() => {
    if (config === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = config;
    rmSync(folder, { recursive: true });
  });

  /** A plugin whose host answers with `todos` after `delay` milliseconds, or never. */
  function start({ todos = [{ content: "read", status: "pending", priority: "low" }], delay = 0 }) {
    const asked = [];
    const lines = [];
    const answer = (data) => () => {
      asked.push(data);
      return new Promise((resolve) => {
        if (delay !== Infinity) setTimeout(() => resolve({ data }), delay);
      });
    };
    const session = { todo: answer(todos), get: answer({ id: SESSION }), status: answer({}) };
    const client = {
      session,
      app: { agents: answer([]), log: async ({ body }) => lines.push(body.message) },
      tui: { showToast: async () => ({ data: true }) },
    };
    return { hooks: keep({ client, directory: folder }, undefined), asked, lines };
  }

  const transform = async (hooks, messages) => {
    const started = performance.now();
    await hooks["experimental.chat.messages.transform"]({}, { messages });
    return performance.now() - started;
  };
  const compacting = async (hooks, context) => {
    const started = performance.now();
    await hooks["experimental.session.compacting"]({ sessionID: SESSION }, { context });
    return performance.now() - started;
  };
  const loop = (steps) => [user("build it"), ...Array.from({ length: steps }, () => step())];

  it("wait for the todos when they are needed at once, and then have them", async () => {
    const { hooks, asked } = start({ delay: 20 });
    const messages = loop(8);
    await transform(hooks, messages);
    assert.equal(messages.length, 10);
    assert.match(messages.at(-1).parts[0].text, /1\. \[pending\] read/);
    assert.equal(asked.length, 4);
  });

  it("never wait for longer than 200 ms, and only once", async () => {
    const { hooks } = start({ delay: Infinity });
    const messages = loop(8);
    const first = await transform(hooks, messages);
    assert.ok(first >= 150 && first < 1_000, `${first} ms`);
    assert.equal(messages.length, 9);
    const second = await transform(hooks, messages);
    assert.ok(second < 150, `${second} ms`);
    assert.equal(messages.length, 9);

    const context = [];
    const third = await compacting(start({ delay: Infinity }).hooks, context);
    assert.ok(third >= 150 && third < 1_000, `${third} ms`);
    assert.deepEqual(context, []);
  });

  it("do not wait while nothing is due, and ask the host beforehand", async () => {
    const { hooks, asked } = start({ delay: 300 });
    const messages = loop(3);
    const took = await transform(hooks, messages);
    assert.ok(took < 150, `${took} ms`);
    assert.equal(messages.length, 4);
    assert.equal(asked.length, 4);
  });

  it("leave the messages of every other request as they were", async () => {
    const { hooks } = start({});
    for (let steps = 0; steps < 8; steps += 1) {
      const messages = loop(steps);
      const original = structuredClone(messages);
      await transform(hooks, messages);
      assert.deepEqual(messages, original);
    }
  });

  it("add the plan to the context of a summary, and nothing to its messages", async () => {
    const { hooks } = start({});
    const context = ["of another plugin"];
    await compacting(hooks, context);
    assert.equal(context.length, 2);
    assert.match(context[1], /1\. \[pending\] read$/);
    const messages = loop(12);
    const original = structuredClone(messages);
    await transform(hooks, messages);
    assert.deepEqual(messages, original);
  });

  it("survive whatever they are given", async () => {
    const { hooks, lines } = start({});
    const throwing = new Proxy(
      {},
      {
        get() {
          throw new Error("no");
        },
      },
    );
    const lists = [
      undefined,
      null,
      [],
      [null],
      [{}],
      [{ info: null }],
      [throwing],
      [...loop(8), throwing],
      [throwing, ...loop(8)],
      [{ info: throwing, parts: throwing }, ...loop(8)],
      Object.freeze(loop(8)),
      loop(8).map((message) => ({ info: message.info })),
      loop(8).map((message) => ({ info: message.info, parts: [null, throwing] })),
    ];
    const anything = [
      undefined,
      null,
      {},
      { messages: 3 },
      { messages: "several" },
      { messages: {} },
    ];
    const odd = async (act) => {
      await act();
      // Not only survived: the core still answers, and anew each time.
      const messages = inSession(nextId(), loop(8));
      await transform(hooks, messages);
      assert.equal(messages.length, 10);
    };
    for (const messages of lists) await odd(() => transform(hooks, messages));
    for (const output of anything) {
      await odd(() => hooks["experimental.chat.messages.transform"]({}, output));
    }
    await hooks["experimental.session.compacting"](undefined, undefined);
    await hooks["experimental.session.compacting"]({}, {});
    await hooks["experimental.session.compacting"]({ sessionID: 3 }, { context: [] });
    const context = [];
    await compacting(hooks, context);
    assert.equal(context.length, 1);
    // A core that is rebuilt knows nothing of before.
    assert.ok(!lines.some((line) => line.includes("rebuilt")), lines.join("\n"));
  });
});

/** The same messages, of another session. */
const inSession = (sessionID, messages) =>
  messages.map(({ info, parts }) => ({ info: { ...info, sessionID }, parts }));

function deepFrozen(value) {
  if (value && typeof value === "object") {
    Object.values(value).forEach(deepFrozen);
    Object.freeze(value);
  }
  return value;
}

/** The messages as opencode gives them to a provider's adapter: results apart, nothing merged. */
function sentTo(messages) {
  return messages.flatMap(({ info, parts }) => {
    if (info.role === "user") return [{ role: "user", calls: 0 }];
    const tools = parts.filter(({ type }) => type === "tool").length;
    const results = Array.from({ length: tools > 0 ? 1 : 0 }, () => ({ role: "tool", calls: 0 }));
    return [{ role: "assistant", calls: results.length }, ...results];
  });
}
