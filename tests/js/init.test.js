// `init`: the file that it writes, and what it leaves alone.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { template } from "../../js/cli/init.js";
import { parse } from "../../js/cli/jsonc.js";
import { MANIFEST, options, SCHEMA } from "../../js/cli/package.js";
import { SturdyCore } from "../../js/core.js";
import { Machine } from "./cli.js";

/** What the core says of a text of options. */
function complaints(text) {
  const core = new SturdyCore([{ file: "x", text }], assert.fail);
  return core.call((core) => core.start()).effects.map(({ message }) => message);
}

/** The template with every option set that stands there as a comment. */
const uncommented = () => template().replace(/^( *)\/\/ ("[\w$]+": .*,)$/gm, "$1$2");

describe("the file that init writes", () => {
  it("sets nothing, and is right", () => {
    assert.deepEqual(complaints(template()), []);
    assert.deepEqual(parse(template()), { $schema: SCHEMA.$id, nudge: {} });
  });

  it("holds every option with its default", () => {
    assert.deepEqual(complaints(uncommented()), []);
    const set = parse(uncommented());
    for (const [name, { default: value }] of options()) {
      const [first, part] = name.split(".");
      assert.deepEqual(part === undefined ? set[first] : set[first][part], value, name);
    }
  });

  it("says of every option what it sets", () => {
    for (const [name, { description }] of options())
      assert.ok(template().includes(`// ${description}`), name);
  });

  it("is right when any one of its options is set", () => {
    const lines = template().split("\n");
    const settable = [...lines.keys()].filter((at) => /^ *\/\/ "[\w$]+": .*,$/.test(lines[at]));
    assert.equal(settable.length, options().length);
    for (const at of settable) {
      const one = lines.with(at, lines[at].replace("// ", ""));
      assert.deepEqual(complaints(one.join("\n")), []);
      assert.notDeepEqual(parse(one.join("\n")), parse(template()));
    }
  });
});

describe("init", () => {
  let machine;
  before(() => {
    machine = new Machine();
  });
  after(() => machine.remove());

  it("writes the project's file, once", () => {
    const file = join(machine.project, ".opencode", "todo-reminder.jsonc");
    const first = machine.run(["init"]);
    assert.deepEqual([first.status, first.stderr], [0, ""]);
    assert.match(first.stdout, /^written: .*todo-reminder\.jsonc\n$/);
    assert.equal(readFileSync(file, "utf8"), template());

    machine.write({ "project/.opencode/todo-reminder.jsonc": "mine" });
    const second = machine.run(["init"]);
    assert.equal(second.status, 1);
    assert.match(second.stderr, /todo-reminder\.jsonc exists already/);
    assert.equal(readFileSync(file, "utf8"), "mine");
  });

  it("writes the global file", () => {
    assert.equal(machine.run(["init", "--global"]).status, 0);
    assert.equal(readFileSync(join(machine.global, "todo-reminder.jsonc"), "utf8"), template());
    const env = { XDG_CONFIG_HOME: join(machine.root, "xdg") };
    assert.equal(machine.run(["init", "--global"], { env }).status, 0);
    assert.ok(existsSync(join(machine.root, "xdg", "opencode", "todo-reminder.jsonc")));
  });

  it("writes nothing beside a .json, a folder of that name or a link that leads nowhere", () => {
    machine.write({
      "json/.opencode/todo-reminder.json": "{}",
      "folder/.opencode/todo-reminder.jsonc": null,
      "file/.opencode": "no folder",
    });
    const link = join(machine.root, "link", ".opencode");
    mkdirSync(link, { recursive: true });
    symlinkSync(join(machine.root, "nowhere"), join(link, "todo-reminder.jsonc"));
    for (const folder of ["json", "folder", "link", "file"]) {
      const { status, stdout, stderr } = machine.run(["init"], { folder });
      assert.deepEqual([status, stdout], [1, ""], folder);
      assert.match(stderr, /^error: .+/);
      if (folder === "file") assert.match(stderr, /expected a folder .*, found a file in its way/);
    }
    assert.ok(!existsSync(join(machine.root, "json/.opencode/todo-reminder.jsonc")));
    assert.ok(!existsSync(join(machine.root, "nowhere")));
  });
});

describe("the program", () => {
  let machine;
  before(() => {
    machine = new Machine();
  });
  after(() => machine.remove());

  it("tells how it is used", () => {
    const { status, stdout } = machine.run(["--help"]);
    assert.equal(status, 0);
    assert.match(stdout, /doctor.*init/s);
  });

  it("tells its version", () => {
    const { status, stdout } = machine.run(["--version"]);
    assert.deepEqual([status, stdout], [0, `${MANIFEST.version}\n`]);
  });

  it("names the option that it does not have", () => {
    const { stderr } = machine.run(["init", "--force"]);
    assert.match(stderr, /^error: there is no option --force\n/);
  });

  it("does nothing when it is not understood", () => {
    const misuses = [
      [],
      ["cure"],
      ["init", "doctor"],
      ["init", "--json"],
      ["doctor", "--global"],
      ["init", "--force"],
    ];
    for (const args of misuses) {
      const { status, stdout, stderr } = machine.run(args);
      assert.deepEqual([status, stdout], [2, ""], args.join(" "));
      assert.match(stderr, /^error: .*\n\n.*npx opencode-todo-keeper doctor/s);
    }
    assert.ok(!existsSync(join(machine.project, ".opencode")));
  });
});
