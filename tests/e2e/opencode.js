// A real opencode for tests: `opencode serve` and `opencode run` in a fresh project and a fresh HOME, without a network.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EventRecorder } from "./events.js";
import { request } from "./http.js";
import { Session } from "./session.js";

const DEFAULT_CONFIG_FOLDER = path.join(".config", "opencode");
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;
// Twelve times the idle delay that the tests set: whatever the plugin was going to do has happened by then.
const SETTLE_MS = 600;
const BINARY_PACKAGE = `opencode-${process.platform}-${process.arch}`;

/**
 * Prepares a project and a HOME and starts `opencode serve` in them.
 *
 * `model` answers the requests. `plugin` is the list for the key `plugin`. `config` is merged over the generated
 * `opencode.json`. `projectFiles` and `globalFiles` map paths, relative to the project and to the global config
 * folder, to texts (or to objects, written as JSON). `configFolder` is that folder, relative to HOME. In the values of
 * `env`, `{home}` and `{project}` are filled in. `packages` maps names to folders that opencode is to find as if it
 * had installed them. `subfolder` makes the project a git repository and opencode start in that folder of it.
 * `serve: false` leaves the server out, for `run`.
 */
export async function startOpencode({ serve = true, ...setup }) {
  const opencode = new Opencode(setup);
  try {
    await opencode.prepare(setup);
    if (serve) await opencode.start();
    return opencode;
  } catch (error) {
    await opencode.stop();
    throw error;
  }
}

// What is still there, so that a test that fails, or a runner that gives up, leaves nothing behind.
const alive = new Set();
const folders = new Set();
process.on("exit", () => {
  for (const child of alive) signalGroup(child, "SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

class Opencode {
  #root;
  #env;
  #configFolder;
  #subfolder;
  #server;

  /** What the server has published since its last start. */
  events = new EventRecorder();

  constructor({ model, env = {}, configFolder = DEFAULT_CONFIG_FOLDER, subfolder = "" }) {
    this.model = model;
    this.#subfolder = subfolder;
    this.#env = env;
    this.#configFolder = configFolder;
  }

  get project() {
    return path.join(this.#root, "project");
  }

  /** Where opencode is started. */
  get folder() {
    return path.join(this.project, this.#subfolder);
  }

  get home() {
    return path.join(this.#root, "home");
  }

  get globalConfig() {
    return path.join(this.home, this.#configFolder);
  }

  async prepare({ plugin = [], config = {}, projectFiles = {}, globalFiles = {}, packages = {} }) {
    this.#root = await mkdtemp(path.join(tmpdir(), "opencode-e2e-"));
    folders.add(this.#root);
    await skipInstall(this.globalConfig);
    await skipInstall(path.join(this.home, DEFAULT_CONFIG_FOLDER));
    await skipInstall(path.join(this.project, ".opencode"));
    await writeFiles(this.project, {
      "opencode.json": { ...baseConfig(this.model), plugin, ...config },
      ...projectFiles,
    });
    await writeFiles(this.globalConfig, globalFiles);
    for (const [name, folder] of Object.entries(packages)) await this.#offer(name, folder);
    if (this.#subfolder) await this.#makeRepository();
  }

  // Without a commit opencode takes a repository for none.
  async #makeRepository() {
    await mkdir(this.folder, { recursive: true });
    const who = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"];
    for (const args of [
      ["init", "-q"],
      [...who, "commit", "-q", "--allow-empty", "-m", "begin"],
    ]) {
      const { code, stderr } = await this.run(args, { program: "git", folder: this.project });
      if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    }
  }

  // opencode asks for a package once by its name and once by name and tag, each in a folder of its own; what is there
  // is not fetched.
  async #offer(name, folder) {
    for (const spec of [name, `${name}@latest`]) {
      const place = path.join(this.home, ".cache", "opencode", "packages", spec);
      await cp(folder, path.join(place, "node_modules", name), { recursive: true });
    }
  }

  async start() {
    const child = this.#spawn(["serve", "--port", "0", "--log-level", "DEBUG"]);
    this.#server = child;
    this.url = await listeningAddress(child);
    await this.events.connect(this.url);
    // A folder's plugins are loaded by the first request that concerns it; without this the first events are missed.
    await this.api("GET", "/config");
  }

  /** Kills the server as a crash would, and starts another one on the same project and HOME. */
  async restart() {
    await this.#kill("SIGKILL");
    await this.start();
  }

  async stop() {
    await this.#kill("SIGTERM");
    if (!this.#root) return;
    await rm(this.#root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    folders.delete(this.#root);
  }

  async #kill(signal) {
    await this.events.disconnect();
    if (!this.#server) return;
    await end(this.#server, signal);
    this.#server = undefined;
  }

  /** Calls the HTTP API and returns the answer's data; throws unless it is a success. */
  async api(method, route, body) {
    const { status, text } = await request(method, this.url + route, body);
    if (status >= 300) throw new Error(`${method} ${route}: ${status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** Creates a session, or takes up the one of `id`. */
  async session(fields = {}) {
    const id = fields.id ?? (await this.api("POST", "/session", fields)).id;
    return new Session(this, id);
  }

  /** Aborts whatever still runs, so that the next test does not begin in the middle of it. */
  async abortAll() {
    const busy = await this.api("GET", "/session/status");
    for (const id of Object.keys(busy)) await this.api("POST", `/session/${id}/abort`);
    await this.settled(0);
  }

  /** Toasts shown since the start, oldest first: `{ title, message, variant, duration }`. */
  get toasts() {
    return this.events.all
      .filter((event) => event.type === "tui.toast.show")
      .map((event) => event.properties);
  }

  /** Lines of opencode's own log that name `service`. opencode writes them about a second late. */
  async logLines(service = "todo-keeper") {
    const folder = path.join(this.home, ".local", "share", "opencode", "log");
    const names = (await readdir(folder)).filter((name) => name.endsWith(".log"));
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
    return texts
      .join("")
      .split("\n")
      .filter((line) => line.includes(service));
  }

  /** Waits for a line of the plugin in the log that matches, and returns it. */
  async logged(pattern, { timeout = 10_000 } = {}) {
    const giveUpAt = Date.now() + timeout;
    for (;;) {
      const lines = await this.logLines();
      const found = lines.find((line) => pattern.test(line));
      if (found) return found;
      if (Date.now() > giveUpAt)
        throw new Error(`no line of the log matches ${pattern}:\n${lines.join("\n")}`);
      await sleep(100);
    }
  }

  /** Resolves once every session is idle and nothing has happened for `ms`. */
  settled(ms = SETTLE_MS) {
    return this.events.settled(ms);
  }

  /** Resolves once nothing has happened for `ms`, though a session may wait for a permission or an answer. */
  quiet(ms = SETTLE_MS) {
    return this.events.quiet(ms);
  }

  /** Runs `opencode ARGS`, or another program, to its end and returns `{ code, signal, stdout, stderr }`. */
  async run(args, { timeout = 60_000, onSpawn, ...how } = {}) {
    const child = this.#spawn(args, how);
    onSpawn?.(child);
    const timer = setTimeout(() => signalGroup(child, "SIGKILL"), timeout);
    const [code, signal] = await child.ended;
    clearTimeout(timer);
    return { code, signal, stdout: child.output.stdout, stderr: child.output.stderr };
  }

  #spawn(args, { program = opencodeBinary(), folder = this.folder } = {}) {
    const child = spawn(program, args, {
      cwd: folder,
      env: this.environment(),
      // A group of its own, so that the shells that opencode starts end with it.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].on("data", (data) => (child.output[name] += data));
    child.ended = new Promise((resolve) => {
      child.once("close", (code, signal) => resolve([code, signal]));
      child.once("error", (error) => {
        child.output.stderr += error;
        resolve([-1, null]);
      });
    });
    alive.add(child);
    child.ended.then(() => alive.delete(child));
    return child;
  }

  /** Only what is named here reaches opencode: a developer's own keys, config and XDG folders must not. */
  environment() {
    const filled = ([name, value]) => [
      name,
      value.replace("{home}", this.home).replace("{project}", this.project),
    ];
    return {
      PATH: process.env.PATH,
      LANG: "C.UTF-8",
      HOME: this.home,
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      ...Object.fromEntries(Object.entries(this.#env).map(filled)),
    };
  }
}

/** The binary itself: npm's wrapper script would be one more process to end. */
export function opencodeBinary() {
  const require = createRequire(createRequire(import.meta.url).resolve("opencode-ai/package.json"));
  return path.join(
    path.dirname(require.resolve(`${BINARY_PACKAGE}/package.json`)),
    "bin",
    "opencode",
  );
}

function baseConfig(model) {
  return {
    $schema: "https://opencode.ai/config.json",
    model: "scripted/one",
    small_model: "scripted/one",
    share: "disabled",
    autoupdate: false,
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: model.url, apiKey: "none" },
        models: { one: modelEntry("One"), two: modelEntry("Two") },
      },
    },
  };
}

const modelEntry = (name) => ({
  name,
  tool_call: true,
  limit: { context: 200_000, output: 8_000 },
  variants: { high: { reasoningEffort: "high" }, low: { reasoningEffort: "low" } },
});

// opencode installs @opencode-ai/plugin into each config folder, unless the folder has node_modules and a lock file
// that names it. Nothing in these tests imports it from there.
async function skipInstall(folder) {
  const dependencies = { "@opencode-ai/plugin": "*" };
  await mkdir(path.join(folder, "node_modules"), { recursive: true });
  await writeFiles(folder, {
    "package.json": { dependencies },
    "package-lock.json": { lockfileVersion: 3, packages: { "": { dependencies } } },
  });
}

async function writeFiles(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
}

function listeningAddress(child) {
  return new Promise((resolve, reject) => {
    const fail = (why) =>
      reject(new Error(`opencode serve ${why}:\n${child.output.stdout}${child.output.stderr}`));
    const timer = setTimeout(
      () => fail(`printed no address within ${START_TIMEOUT_MS} ms`),
      START_TIMEOUT_MS,
    );
    const look = () => {
      const address = /listening on (http:\/\/\S+)/.exec(child.output.stdout)?.[1];
      if (address) settle(() => resolve(address));
    };
    const settle = (then) => {
      clearTimeout(timer);
      child.stdout.off("data", look);
      then();
    };
    child.stdout.on("data", look);
    child.ended.then(([code]) => settle(() => fail(`ended with code ${code}`)));
  });
}

async function end(child, signal) {
  signalGroup(child, signal);
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), STOP_TIMEOUT_MS);
  await child.ended;
  clearTimeout(timer);
}

function signalGroup(child, signal) {
  if (!child.pid) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
