// The log: opencode's own, and the file that `debug` asks for.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Host } from "../../js/host.js";
import { emptyProject, endWithTodos, FakeHost, hostInView, IDLE_DELAY_MS } from "./host.js";

const MOST_BYTES = 1_000_000;

const projects = [];
function newFolder() {
  const project = emptyProject();
  projects.push(project);
  return project.folder;
}
before(newFolder);
after(() => {
  for (const project of projects) project.remove();
});

const fileIn = (folder) => join(folder, ".opencode", "todo-reminder.log");
const read = (file) => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

const linesOf = (file) => read(file).split("\n").filter(Boolean);

/** The file's text, once it ends as expected. */
async function textOf(file, ending) {
  const deadline = Date.now() + 10_000;
  while (!read(file).endsWith(`${ending}\n`)) {
    assert.ok(
      Date.now() < deadline,
      `${ending} did not come; the file ends ${read(file).slice(-200)}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return read(file);
}

const line = (message) => ({
  type: "log",
  level: "debug",
  message,
  session: "ses_1",
  toFile: true,
});

describe("opencode's log", () => {
  it("tells every decision with its session, under the plugin's name", async () => {
    const { host, session } = await hostInView(newFolder());
    await host.clock.advance(IDLE_DELAY_MS);
    const bodies = host.requests("app.log").map(({ body }) => body);
    assert.ok(bodies.length >= 4);
    for (const { service, level, message, extra } of bodies) {
      assert.equal(service, "todo-keeper");
      assert.equal(level, "debug");
      assert.match(message, /^todo-keeper: /);
      assert.equal(extra.session, session);
    }
    assert.match(bodies.map(({ message }) => message).join("\n"), /reminder 1 about 1 unfinished/);
  });
});

describe("the log file", () => {
  it("is not written unless asked for", async () => {
    const folder = newFolder();
    const { host } = await hostInView(folder);
    await host.clock.advance(IDLE_DELAY_MS);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(read(fileIn(folder)), "");
  });

  it("has the lines of opencode's log, with the time, in their order", async () => {
    const folder = newFolder();
    const { host, session } = await hostInView(folder, { debug: true });
    await host.clock.advance(IDLE_DELAY_MS);
    host.end(session);
    const logged = host.logged().map((text) => text.replace("todo-keeper: ", ""));
    const deadline = Date.now() + 10_000;
    while (linesOf(fileIn(folder)).length < logged.length && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const lines = linesOf(fileIn(folder));
    assert.deepEqual(
      lines.map((one) => one.replace(/^\S+ debug ses_\d+ /, "")),
      logged,
    );
    for (const one of lines)
      assert.match(one, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z debug ses_/);
  });

  it("is written in order, however fast lines come", async () => {
    const folder = newFolder();
    const host = new Host(new FakeHost().client, folder);
    const messages = Array.from({ length: 500 }, (_, number) => `line ${number}`);
    for (const message of messages) host.log(line(message));
    const text = await textOf(fileIn(folder), "line 499");
    assert.deepEqual(
      text
        .trimEnd()
        .split("\n")
        .map((one) => one.replace(/^.*ses_1 /, "")),
      messages,
    );
  });

  it("stays within its bound, with one older file of the same bound", async () => {
    const folder = newFolder();
    const file = fileIn(folder);
    const host = new Host(new FakeHost().client, folder);
    const long = "é".repeat(100_000);
    for (let number = 0; number < 25; number += 1) host.log(line(`${long} ${number}`));
    const text = await textOf(file, " 24");
    assert.ok(statSync(file).size <= MOST_BYTES, `${statSync(file).size}`);
    assert.ok(statSync(`${file}.1`).size <= MOST_BYTES, `${statSync(`${file}.1`).size}`);
    assert.ok(statSync(`${file}.1`).size > MOST_BYTES / 2);
    // Nothing is missing between the two.
    const numbers = [...(read(`${file}.1`) + text).matchAll(/ (\d+)$/gm)].map(([, n]) => Number(n));
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => 24 - numbers.length + 1 + at),
    );
  });

  it("takes over one that is too long already", async () => {
    const folder = newFolder();
    const file = fileIn(folder);
    mkdirSync(join(folder, ".opencode"));
    writeFileSync(file, "x".repeat(3 * MOST_BYTES));
    const host = new Host(new FakeHost().client, folder);
    host.log(line("first"));
    await textOf(file, "first");
    assert.ok(statSync(file).size < 200);
  });

  it("that cannot be written stops nothing", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, ".opencode"), "a file in place of the folder");
    const host = new FakeHost();
    host.start(folder, { debug: true });
    await endWithTodos(host, host.session());
    await host.clock.advance(IDLE_DELAY_MS);
    assert.equal(host.prompts.length, 1);
  });
});
