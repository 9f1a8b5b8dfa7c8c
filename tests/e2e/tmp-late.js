import { startModel, text, todos } from "./model.js";
import { startOpencode } from "./opencode.js";
import { packedPlugin } from "./package.js";

const SLOW = `
import { appendFileSync } from "node:fs";
export default async () => ({
  event: ({ event }) => { if (["session.idle","message.removed"].includes(event.type)) appendFileSync("trace.txt", Date.now() + " " + event.type + "\\n"); },
  dispose: async () => { appendFileSync("trace.txt", Date.now() + " dispose\\n"); },
  "chat.message": async (_, output) => {
    if (!output.parts[0].metadata?.["opencode-todo-keeper"]) return;
    appendFileSync("trace.txt", Date.now() + " hook\\n");
    await new Promise((r) => setTimeout(r, DELAY));
    appendFileSync("trace.txt", Date.now() + " hook done\\n");
  } });`;
const model = await startModel();
const folder = await packedPlugin();
for (const delay of process.argv.slice(2)) {
  const opencode = await startOpencode({
    model,
    plugin: [[folder, {}], "./slow.js"],
    serve: false,
    projectFiles: { "slow.js": SLOW.replace("DELAY", delay) },
  });
  model.play([
    todos(["write the code", "pending"]),
    text("Later."),
    text("Later."),
    text("Later."),
    text("Later."),
  ]);
  const r = await opencode.run(["run", "--log-level", "DEBUG", "build it"], { timeout: 120000 });
  console.log("== delay", delay, r.code, r.stdout, r.stderr);
  console.log((await import("node:fs")).readFileSync(opencode.project + "/trace.txt", "utf8"));
  console.log((await opencode.logLines()).join("\n"));
  await opencode.start();
  const all = await opencode.api("GET", "/session");
  const s = await opencode.session({ id: all[0].id });
  for (const { info, parts } of await s.messages())
    console.log(
      info.id,
      info.role,
      info.parentID,
      info.finish,
      parts
        .map((p) => p.text ?? p.tool ?? p.type)
        .join(" | ")
        .slice(0, 60),
    );
  await opencode.stop();
}
await model.stop();
