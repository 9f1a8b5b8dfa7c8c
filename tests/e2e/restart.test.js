// What a restart of opencode must not forget. After it, a compaction stands for whatever makes a session go idle
// without the person writing anything.

import assert from "node:assert/strict";
import { test } from "node:test";
import { failure, text, todos } from "./model.js";
import { suite } from "./suite.js";

const DELAY_MS = 1_000;
const SETTLE_MS = 2 * DELAY_MS;
const keeper = suite({ options: { idleDelayMs: DELAY_MS } });

test("the budget goes on where it was when opencode was killed in the middle of a series", async () => {
  keeper.model.play([
    todos(["write the code", "pending"]),
    text("Later."),
    text("Later."),
    text("Later."),
  ]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  const second = await session.reminded(2);
  await session.idle({
    from: keeper.opencode.events.all.findIndex(
      ({ properties }) => properties.part?.id === second.id,
    ),
  });
  await keeper.opencode.restart();

  keeper.model.play([text("Later."), text("Later.")]);
  await session.compact();
  await session.reminded();
  await keeper.opencode.settled(SETTLE_MS);
  assert.deepEqual(
    (await session.reminders()).map(({ number }) => number),
    [1, 2, 3],
  );
  assert.equal(keeper.opencode.toasts.filter(({ variant }) => variant === "warning").length, 1);
});

test("a budget that was used up stays used up, and the person's next message renews it", async () => {
  keeper.model.play([
    todos(["write the code", "pending"]),
    ...Array.from({ length: 4 }, () => text("Later.")),
  ]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await session.reminded(3);
  await keeper.opencode.settled(SETTLE_MS);
  await keeper.opencode.restart();

  await session.compact();
  await keeper.opencode.settled(SETTLE_MS);
  assert.equal((await session.reminders()).length, 3);

  keeper.model.play([text("Later."), todos(["write the code", "completed"]), text("Done.")]);
  await session.say("go on");
  await session.reminded();
  await keeper.opencode.settled(SETTLE_MS);
  assert.equal((await session.reminders()).length, 4);
});

test("a pause outlives a restart", async () => {
  keeper.model.play([todos(["write the code", "pending"]), failure(400)]);
  const session = await keeper.opencode.session();
  await session.say("build it");
  await keeper.opencode.settled(SETTLE_MS);
  await keeper.opencode.restart();

  await session.compact();
  await keeper.opencode.settled(SETTLE_MS);
  assert.deepEqual(await session.reminders(), []);
});

test("a session of before the restart is known as soon as the person writes in it", async () => {
  keeper.model.play([todos(["write the code", "pending"]), text("Done.")]);
  const session = await keeper.opencode.session();
  await session.say("plan it", { agent: "plan" });
  await keeper.opencode.restart();

  keeper.model.play([text("Later."), todos(["write the code", "completed"]), text("Done.")]);
  await session.say("go on", { agent: "build" });
  await session.reminded();
  await keeper.opencode.settled(SETTLE_MS);
  const [{ info }, ...more] = await session.reminders();
  assert.deepEqual(more, []);
  assert.equal(info.agent, "build");
});
