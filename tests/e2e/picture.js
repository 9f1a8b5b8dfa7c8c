// `npm run picture`: opencode's own screen with a reminder and the toast of a pause, drawn into docs/reminder.svg. Needs tmux.
// It fails when the screen does not show them.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { never, startModel, text, todos } from "./model.js";
import { opencodeBinary, startOpencode } from "./opencode.js";
import { packedPlugin } from "./package.js";
import { pictureOf, runsOf } from "./svg.js";
import { startTerminal } from "./tui.js";

const PICTURE = fileURLToPath(new URL("../../docs/reminder.svg", import.meta.url));

const SCRIPT = [
  todos(
    ["read the notes", "completed"],
    ["write the greeting", "in_progress"],
    ["check the spelling", "pending"],
  ),
  text("The greeting is nearly written. I will stop here."),
  // Reminded. The person stops it.
  never("The greeting lacks"),
];

const model = await startModel({ script: SCRIPT });
const plugin = [await packedPlugin()];
const opencode = await startOpencode({ model, plugin, serve: false });
const terminal = await startTerminal({
  program: opencodeBinary(),
  folder: opencode.folder,
  env: opencode.environment(),
  columns: 106,
  rows: 40,
});
try {
  await terminal.shows(/Ask anything/);
  await terminal.type("Write a greeting from notes.md.");
  await terminal.shows(/Write a greeting/);
  await terminal.press("Enter");
  await terminal.shows(/A task of your todo list is under way: "write the greeting"/);
  await terminal.shows(/esc interrupt/);
  await terminal.press("Escape");
  await terminal.shows(/again to interrupt/);
  await terminal.press("Escape");
  await terminal.shows(/Todo reminders paused/);
  await draw(await terminal.screen({ colours: true }));
} finally {
  await terminal.stop();
  await opencode.stop();
  await model.stop();
}

/** The last line is left out: it names a temporary folder. */
async function draw(screen) {
  const lines = screen.trimEnd().split("\n").slice(0, -1);
  await mkdir(path.dirname(PICTURE), { recursive: true });
  await writeFile(
    PICTURE,
    pictureOf(
      lines.join("\n"),
      "opencode's screen: a reminder, and the toast of a pause after Esc",
    ),
  );
  console.log(lines.map(textOfLine).join("\n"));
  console.log(`drawn to ${path.relative(process.cwd(), PICTURE)}`);
}

function textOfLine(line) {
  return runsOf(line)
    .map(({ text }) => text)
    .join("");
}
