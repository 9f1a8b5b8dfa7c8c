// Measured in a process of its own: one case. Prints the microseconds of a call, round by round.

import { CASES } from "./cases.js";
import { CLIENT } from "./client.js";

const [url, directory, name, rounds] = process.argv.slice(2);
const { default: plugin } = await import(url);
const { calls, prepare, input, options } = CASES.find((one) => one.name === name);
const hooks = await plugin({ client: CLIENT, directory, ...input }, options);
const call = prepare(hooks);

const figures = [];
// The first round is for the compilers of the runtime.
for (let round = 0; round <= Number(rounds); round += 1) {
  const began = performance.now();
  await repeat(call, calls);
  figures.push(((performance.now() - began) * 1000) / calls);
  // What was begun meanwhile (log lines that nobody reads) ends outside of the measured time.
  await new Promise((resolve) => setTimeout(resolve, 10));
}
console.log(JSON.stringify(figures.slice(1)));
await hooks.dispose();
process.exit();

/** A hook that opencode waits for is waited for here; the others are not. */
async function repeat(call, times) {
  for (let time = 0; time < times; time += 1) {
    const answer = call();
    if (answer) await answer;
  }
}
