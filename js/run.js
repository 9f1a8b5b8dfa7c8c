// Whether opencode runs as `opencode run`, which ends at the first idle.

/** opencode's flags that are followed by no value; every other one takes the next word. */
const SWITCHES = new Set([
  ...["-h", "--help", "-v", "--version", "--print-logs", "--no-print-logs", "--pure", "--no-pure"],
]);

/** With these `opencode run` is a conversation, and does not end at the first idle. */
const INTERACTIVE = new Set(["-i", "--interactive", "--interactive=true"]);

/**
 * The command is the first word that is neither a flag nor a flag's value: the word "run" elsewhere is somebody's text.
 * @param {string[]} argv the program, its script, and then what the person wrote
 */
export function isRun([, , ...words]) {
  let at = 0;
  for (let flag = words[at]; flag?.startsWith("-"); flag = words[at]) {
    at += flag.includes("=") || SWITCHES.has(flag) ? 1 : 2;
  }
  const [command, ...rest] = words.slice(at);
  const end = rest.indexOf("--");
  const flags = end < 0 ? rest : rest.slice(0, end);
  return command === "run" && !flags.some((word) => INTERACTIVE.has(word));
}
