// `opencode run` goes on until the list is finished, although it quits at the first idle.

import assert from "node:assert/strict";
import { test } from "node:test";
import { text, todos } from "./model.js";
import { suite } from "./suite.js";

const keeper = suite();

test("the list is finished in one run", async () => {
  keeper.model.play([
    todos(["write the code", "in_progress"], ["write the tests", "pending"]),
    text("I will do that later."),
    todos(["write the code", "completed"], ["write the tests", "pending"]),
    text("The tests come tomorrow."),
    todos(["write the code", "completed"], ["write the tests", "completed"]),
    text("All done."),
  ]);
  const { code, stdout, stderr } = await keeper.opencode.run(["run", "build it"]);
  console.log(code, stdout, stderr);
  const all = await keeper.opencode.api("GET", "/session");
  const session = await keeper.opencode.session({ id: all[0].id });
  for (const { info, parts } of await session.messages())
    console.log(
      info.id,
      info.role,
      info.parentID,
      info.finish,
      parts
        .map((p) => p.text ?? p.tool ?? p.type)
        .join(" | ")
        .slice(0, 200),
    );
  console.log((await keeper.opencode.logLines()).join("\n"));
});
