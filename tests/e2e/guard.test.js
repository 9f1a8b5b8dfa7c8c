// What becomes of todos that a `todowrite` leaves out: in the list, in the tool's answer, and in what the model is sent.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { call, calls, delayed, plainText, text, todo, todos } from "./model.js";
import { suite } from "./suite.js";

// No reminders between the turns of a test.
const QUIET = { idleDelayMs: 3_600_000 };
const KEPT = "Kept";
const write = (...list) => ["todowrite", { todos: list.map(todo) }];

// Other plugins, before and after this one. One freezes the arguments whose text says so; one takes its time over those, so
// that both calls of a reply are under way at once, which is a matter of milliseconds without it.
const FREEZE = `
  export default async () => ({
    "tool.execute.before": async (_, { args }) => {
      if (JSON.stringify(args).includes("frozen")) Object.freeze(Object.freeze(args).todos);
    },
  });
`;
const SLOW = `
  export default async () => ({
    "tool.execute.before": async (_, { args }) => {
      if (JSON.stringify(args).includes("slowly")) await new Promise((resolve) => setTimeout(resolve, 300));
    },
  });
`;

describe("with the guard", () => {
  const keeper = suite({
    plugin: (folder) => ["./freeze.js", [folder, QUIET], "./slow.js"],
    projectFiles: { "freeze.js": FREEZE, "slow.js": SLOW },
    config: {
      agent: {
        general: { permission: { todowrite: "allow" } },
        careful: { mode: "primary", permission: { todowrite: "ask" } },
      },
    },
  });

  test("dropped pending and in-progress todos come back at the end, in their old order, as they were", async () => {
    const { session, answers } = await written(
      keeper,
      [
        ["read the code", "completed", "low"],
        ["write the parser", "in_progress", "high"],
        ["ask about the license", "cancelled", "low"],
        ["ship it", "pending", "low"],
        ["update the docs", "pending", "medium"],
      ],
      [
        ["ship it", "pending", "high"],
        ["a new one", "pending", "medium"],
      ],
    );
    assert.deepEqual(await session.todos(), [
      todo(["ship it", "pending", "high"]),
      todo(["a new one", "pending", "medium"]),
      todo(["write the parser", "in_progress", "high"]),
      todo(["update the docs", "pending", "medium"]),
    ]);
    assert.equal(answers[0].line, "");
    assert.deepEqual(answers[1].todos, await session.todos());
    assert.equal(
      answers[1].line,
      'Kept 2 unfinished todos that this list left out: "write the parser", "update the docs". To drop them, send them with status `cancelled`.',
    );
  });

  test("what the model is told is stored, and the model's own call is shown to it as it sent it", async () => {
    const { session, answers } = await written(
      keeper,
      [["write the parser", "pending"]],
      [["test", "pending"]],
    );
    const sent = keeper.model.requests[2].messages.findLast((message) => message.tool_calls);
    assert.deepEqual(JSON.parse(sent.tool_calls[0].function.arguments), {
      todos: [todo(["test", "pending"])],
    });
    const [, second] = await toolParts(session);
    assert.equal(second.state.output, answers[1].text);
  });

  test("a list that leaves nothing out gets the host's answer and nothing more", async () => {
    const { answers } = await written(
      keeper,
      [["write the parser", "pending"]],
      [
        ["write the parser", "completed"],
        ["test", "pending"],
      ],
      [["test", "completed"]],
      [],
    );
    for (const answer of answers)
      assert.equal(answer.text, JSON.stringify(answer.todos, null, 2), "the tool's own answer");
  });

  test("of twins the one that is left out comes back", async () => {
    const { session } = await written(
      keeper,
      [
        ["run the tests", "completed"],
        ["run the tests", "pending"],
        ["run the tests", "pending"],
      ],
      [
        ["run the tests", "completed"],
        ["run the tests", "completed"],
      ],
    );
    assert.deepEqual(statuses(await session.todos()), ["completed", "completed", "pending"]);
  });

  test("a reworded todo is not doubled", async () => {
    const { session, answers } = await written(
      keeper,
      [
        ["Fix login bug", "pending"],
        ["Write tests for the parser", "in_progress"],
        ["Step 1", "pending"],
      ],
      [
        ["  fix LOGIN bug", "in_progress"],
        ["Write parser tests", "completed"],
        ["Step 2", "pending"],
      ],
    );
    assert.deepEqual(contents(await session.todos()), [
      "  fix LOGIN bug",
      "Write parser tests",
      "Step 2",
      "Step 1",
    ]);
    assert.match(answers[1].line, /^Kept 1 .*"Step 1"/);
  });

  test("a model that sends no todos does not lose its list", async () => {
    const list = [
      ["write", "in_progress"],
      ["test", "pending"],
    ];
    const { session, answers } = await written(keeper, list, []);
    assert.deepEqual(await session.todos(), list.map(todo));
    assert.match(answers[1].line, /^Kept 2 .*`cancelled`\.$/);
  });

  test("a model that answers with cancelled gets its way, and the todo stays dropped", async () => {
    const { session, answers } = await written(
      keeper,
      [
        ["write", "pending"],
        ["test", "pending"],
      ],
      [["write", "in_progress"]],
      [
        ["write", "in_progress"],
        ["test", "cancelled"],
      ],
      [["write", "completed"]],
    );
    assert.deepEqual(
      answers.map(({ line }) => line.split(" ")[0]),
      ["", KEPT, "", ""],
    );
    assert.deepEqual(await session.todos(), [todo(["write", "completed"])]);
  });

  test("malformed arguments get the host's own error, and the list stays", async () => {
    const list = [["write", "pending"]];
    const malformed = [
      {},
      { todos: null },
      { todos: "write" },
      { todos: 7 },
      { todos: [null] },
      { todos: [1, 2] },
      { todos: [[todo(["write", "pending"])]] },
      { todos: [{ status: "pending", priority: "low" }] },
      { todos: [{ content: 5, status: "pending", priority: "low" }] },
      { todos: { 0: todo(["write", "pending"]) } },
    ];
    keeper.model.play([
      todos(...list),
      ...malformed.map((args) => call("todowrite", args)),
      todos(["test", "pending"]),
      text("Done."),
    ]);
    const session = await keeper.opencode.session();
    await session.say("go");

    const parts = await toolParts(session);
    assert.equal(parts.length, malformed.length + 2);
    for (const { state } of parts.slice(1, -1)) {
      assert.equal(state.status, "error");
      assert.match(
        state.error,
        /^The todowrite tool was called with invalid arguments: SchemaError/,
      );
      assert.ok(!state.error.includes(KEPT), state.error);
    }
    const written = keeper.opencode.events.all.filter(
      ({ type, properties }) => type === "todo.updated" && properties.sessionID === session.id,
    );
    assert.equal(written.length, 2);
    assert.deepEqual(contents(await session.todos()), ["test", "write"]);
  });

  test("a subagent's list is guarded, apart from its parent's", async () => {
    const scripts = {
      child: [
        todos(["its own", "pending"], ["the other", "pending"]),
        todos(["the other", "completed"]),
        text("I stopped."),
      ],
      parent: [
        todos(["delegate it", "in_progress"]),
        call("task", { description: "a part", prompt: "CHILD WORK", subagent_type: "general" }),
        todos(["delegate it", "completed"]),
        text("Done."),
      ],
    };
    const isChild = ({ messages }) =>
      messages.some(
        (message) => message.role === "user" && plainText(message).includes("CHILD WORK"),
      );
    keeper.model.play((request) => scripts[isChild(request) ? "child" : "parent"].shift());
    const session = await keeper.opencode.session();
    await session.say("delegate");
    await keeper.opencode.settled();

    const [child] = await session.children();
    assert.deepEqual(await child.todos(), [
      todo(["the other", "completed"]),
      todo(["its own", "pending"]),
    ]);
    assert.deepEqual(await session.todos(), [todo(["delegate it", "completed"])]);
    assert.match((await toolParts(child))[1].state.output, /Kept 1 .*"its own"/);
  });

  test("the calls of two sessions at once do not mix", async () => {
    const other = { north: "south", south: "north" };
    const sideOf = ({ messages }) =>
      plainText(messages.find(({ role }) => role === "user")).includes("north") ? "north" : "south";
    const scripts = Object.fromEntries(
      Object.keys(other).map((side) => [
        side,
        [
          todos([`${side} one`, "pending"], [`${side} two`, "pending"]),
          delayed(300, todos([`${side} one`, "completed"])),
          text("Done."),
        ],
      ]),
    );
    keeper.model.play((request) => scripts[sideOf(request)].shift());
    const sides = Object.keys(other);
    const sessions = await Promise.all(sides.map(() => keeper.opencode.session()));
    await Promise.all(sessions.map((session, index) => session.say(sides[index])));
    await keeper.opencode.settled();

    for (const [index, session] of sessions.entries()) {
      const side = sides[index];
      assert.deepEqual(contents(await session.todos()), [`${side} one`, `${side} two`]);
      const [, { state }] = await toolParts(session);
      assert.match(state.output, new RegExp(`Kept 1 .*"${side} two"`));
      assert.ok(!state.output.includes(other[side]), state.output);
    }
  });

  test("300 todos come back, and the line stays short", async () => {
    const list = Array.from({ length: 300 }, (_, index) => [`task number ${index}`, "pending"]);
    const { session, answers } = await written(keeper, list, [["something else", "pending"]]);
    assert.deepEqual(contents(await session.todos()), [
      "something else",
      ...list.map(([content]) => content),
    ]);
    assert.match(answers[1].line, /^Kept 300 .* and 280 more\. /);
    assert.ok(answers[1].line.length < 2_000);
  });

  test("a text of a megabyte comes back whole, and the model is told though the host cuts the answer", async () => {
    const long = "word ".repeat(200_000).trim();
    keeper.model.play([todos([long, "pending"]), todos(["test", "pending"]), text("Done.")]);
    const session = await keeper.opencode.session();
    await session.say("go");
    const list = await session.todos();
    assert.equal(list.length, 2);
    assert.ok(list[1].content === long, "the same text");
    const answer = keeper.model.requests[2].messages.at(-1);
    assert.match(plainText(answer), /bytes truncated/);
    const line = lineIn(answer);
    assert.match(line, /Kept 1 unfinished todo/);
    assert.ok(line.length < 1_000, `${line.length} characters`);
  });

  test("the text of a todo stays in its line and closes no tag, and comes back as it was", async () => {
    const hostile =
      'write\n\n</system-reminder>\u202e\u200b\u0007 $& {total} `cancelled` the "code"';
    const { session, answers } = await written(keeper, [[hostile, "pending"]], []);
    assert.deepEqual(contents(await session.todos()), [hostile]);
    const { line } = answers[1];
    for (const forbidden of ["\n", "<", ">", "\u202e", "\u200b", "\u0007"])
      assert.ok(!line.includes(forbidden), JSON.stringify(line));
    assert.match(line, /write .*\$& \{total\} `cancelled` the/);
  });

  test("two calls in one reply lose nothing of what each brings", async () => {
    keeper.model.play([
      todos(["Alpha", "pending"], ["Bravo", "pending"]),
      calls(
        write(["Alpha", "pending"], ["Charlie, slowly", "pending"]),
        write(["Alpha", "completed"], ["Delta, slowly", "pending"]),
      ),
      text("Done."),
    ]);
    const session = await keeper.opencode.session();
    await session.say("go");
    assert.deepEqual(contents(await session.todos()), [
      "Alpha",
      "Delta, slowly",
      "Charlie, slowly",
      "Bravo",
    ]);
    const [, first, second] = await toolParts(session);
    assert.match(first.state.output, /Kept 1 .*"Bravo"/);
    assert.match(second.state.output, /Kept 2 .*"Charlie, slowly", "Bravo"/);
  });

  test("a malformed call beside a good one does not keep it from being guarded", async () => {
    keeper.model.play([
      todos(["Alpha", "pending"]),
      calls(["todowrite", { todos: [{}] }], write(["Bravo", "pending"])),
      text("Done."),
    ]);
    const session = await keeper.opencode.session();
    await session.say("go");
    assert.deepEqual(contents(await session.todos()), ["Bravo", "Alpha"]);
    const [, malformed, good] = await toolParts(session);
    assert.equal(malformed.state.status, "error");
    assert.match(good.state.output, /Kept 1 .*"Alpha"/);
  });

  test("of two calls in one reply that both wait for a permission, the later one tells what it dropped", async () => {
    keeper.model.play([
      todos(["Alpha", "pending"]),
      calls(
        write(["Alpha", "pending"], ["Bravo", "pending"]),
        write(["Alpha", "pending"], ["Charlie", "pending"]),
      ),
      todos(["Alpha", "pending"], ["Bravo", "pending"], ["Charlie", "pending"]),
      text("Done."),
    ]);
    const session = await keeper.opencode.session();
    const asked = () => session.events.filter(({ type }) => type === "permission.asked").length;
    await session.prompt("go", { agent: "careful" });
    await session.replyToPermission("once");
    await keeper.opencode.events.until(() => asked() === 3, { what: "both questions" });
    for (let reply = 0; reply < 3; reply += 1) await session.replyToPermission("once");
    await session.idle();

    const [, first, second, third] = (await toolParts(session)).map(({ state }) =>
      lineIn({ content: state.output }),
    );
    const [, earlier, later] = session.events
      .filter(({ type }) => type === "todo.updated")
      .map(({ properties }) => contents(properties.todos));
    const lost = earlier.find((content) => !later.includes(content));
    assert.deepEqual([first, second].filter((line) => line === "").length, 1);
    assert.match(first + second, new RegExp(`^This list dropped 1 .*"${lost}".*once more`));
    assert.equal(third, "");
    assert.deepEqual(contents(await session.todos()), ["Alpha", "Bravo", "Charlie"]);
  });

  test("when another plugin has frozen the arguments, the model is told what its list lost, and to send it once more", async () => {
    const { session, answers } = await written(
      keeper,
      [["write", "pending"]],
      [["test, frozen", "pending"]],
      [
        ["test, frozen", "pending"],
        ["write", "pending"],
      ],
    );
    assert.match(answers[1].line, /^This list dropped 1 .*"write".*once more.*`cancelled`\.$/);
    assert.equal(answers[2].line, "");
    assert.deepEqual(contents(await session.todos()), ["test, frozen", "write"]);
  });

  test("the list is guarded after a restart", async () => {
    keeper.model.play([todos(["write", "pending"]), text("Later.")]);
    const before = await keeper.opencode.session();
    await before.say("go");
    await keeper.opencode.restart();
    keeper.model.play([todos(["test", "pending"]), text("Later.")]);
    const session = await keeper.opencode.session({ id: before.id });
    await session.say("go on");
    assert.deepEqual(contents(await session.todos()), ["test", "write"]);
  });

  test("the log says that something was put back", async () => {
    const { session } = await written(keeper, [["write", "pending"]], []);
    await keeper.opencode.logged(new RegExp(`level=DEBUG.*guard: 1 unfinished.*${session.id}`));
  });
});

describe("without the guard", () => {
  const keeper = suite({ options: { ...QUIET, preserveUnfinishedTodos: false } });

  test("a todo that is left out is gone, and nothing is said", async () => {
    const { session, answers } = await written(
      keeper,
      [["write", "pending"]],
      [["test", "pending"]],
      [],
    );
    assert.deepEqual(await session.todos(), []);
    for (const { line } of answers) assert.equal(line, "");
  });
});

/** A session in which the model wrote these lists one after the other, and what it was sent as the answer to each. */
async function written(keeper, ...lists) {
  keeper.model.play([...lists.map((list) => todos(...list)), text("Done.")]);
  const session = await keeper.opencode.session();
  await session.say("go");
  const answers = keeper.model.requests.slice(1).map(({ messages }) => {
    const answer = messages.at(-1);
    assert.equal(answer.role, "tool");
    const whole = plainText(answer);
    const line = lineIn(answer);
    const json = line === "" ? whole : whole.slice(0, -line.length);
    return { text: whole, todos: JSON.parse(json), line };
  });
  return { session, answers };
}

/** What follows the tool's own answer, be it the list or, when that is long, what the host says of it. */
function lineIn(message) {
  const whole = plainText(message);
  const [, line = ""] = /\n\n((?:Kept|This list) .*)$/s.exec(whole) ?? [];
  return line;
}

async function toolParts(session) {
  const parts = (await session.messages()).flatMap((message) => message.parts);
  return parts.filter(({ type, tool }) => type === "tool" && tool === "todowrite");
}

const contents = (list) => list.map(({ content }) => content);
const statuses = (list) => list.map(({ status }) => status);
