// A recorded sequence in the notation of tests/scenarios.rs.

/**
 * @param {{ input: any, now: number }[]} inputs what one core heard
 * @returns {string}
 */
export function scenarioOf(inputs) {
  let before = inputs[0]?.now ?? 0;
  const first = inputs[0]?.input.session;
  const lines = inputs.flatMap(({ input, now }) => {
    const time = `+${now - before}`;
    before = now;
    const [what, ...below] = lineOf(input);
    const at = input.session && input.session !== first ? `@${input.session} ` : "";
    return [`${time.padEnd(6)} ${at}${what}`, ...below];
  });
  return lines.join("\n");
}

/** What happens, and the lines below it. */
function lineOf(input) {
  switch (input.type) {
    case "sessionBusy":
      return ["busy"];
    case "sessionRetrying":
      return ["retry"];
    case "sessionIdle":
      return ["idle"];
    case "sessionFailed":
      return [`failed ${input.error.name} ${text(input.error.message)}`];
    case "subagentSeen":
      return [`subagent @${input.session} of ${input.parent}`];
    case "sessionDeleted":
      return ["deleted"];
    case "userMessage":
      return [userOf(input.message)];
    case "assistantMessage":
      return [assistantOf(input.message)];
    case "todosUpdated":
      return [`todos ${listOf(input.todos)}`];
    case "stepEnded": {
      const reason = input.reason === "stop" ? "" : ` reason=${input.reason}`;
      return [`step ${input.message}${reason}${input.hasCalls ? " calls" : ""}`];
    }
    case "asked":
    case "answered":
      return [`${input.type} ${input.ask}`];
    case "fetched":
      return fetchedOf(input);
    case "scanned":
      return [`scanned #${input.request} ${input.table ? text(input.table) : "unknown"}`];
    case "prompted":
    case "remembered":
      return [`${input.type} #${input.request}${errorOf(input.error)}`];
    case "command":
      return [`command ${input.arguments}`];
    default:
      return [input.type];
  }
}

function fetchedOf({ request, snapshot }) {
  const { todos, info, active, agents, history } = snapshot;
  const words = [
    `fetched #${request}`,
    todos ? listOf(todos) : "unknown",
    info ? info.parent && `parent=${info.parent}` : "gone",
    info?.isPaused && "paused",
    active?.length > 0 && `active=${active.join()}`,
    !agents && "agents-unknown",
  ];
  const below = (history?.messages ?? []).map(
    (message) => `  | ${message.role === "user" ? userOf(message) : assistantOf(message)}`,
  );
  return [words.filter(Boolean).join(" "), ...below];
}

function userOf({ id, identity, mark, texts, syntheticTexts }) {
  const words = [
    `user ${id}`,
    identity ? identity.agent !== "build" && `agent=${identity.agent}` : "anonymous",
    mark && `mark=${mark.reminder}`,
    texts > 0 && texts === syntheticTexts && "synthetic",
  ];
  return words.filter(Boolean).join(" ");
}

function assistantOf({ id, error, finish, todos = [] }) {
  const list = todos.at(-1);
  const words = [`assistant ${id}`, finish && `finish=${finish}`, list && `todos ${listOf(list)}`];
  return `${words.filter(Boolean).join(" ")}${errorOf(error)}`;
}

const errorOf = (error) => (error ? ` error=${error.name}:${text(error.message)}` : "");
const listOf = (todos) =>
  todos.map(({ content, status }) => `${text(content)}:${status}`).join(" ");
const text = (value) => (/^\w+$/.test(value) ? value : JSON.stringify(value));
