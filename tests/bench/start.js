// Measured in a process of its own: import, call, first hook. Prints milliseconds.

const { FIRST } = await import("./cases.js");
const { CLIENT } = await import("./client.js");
const began = performance.now();
const { default: plugin } = await import(process.argv[2]);
const hooks = await plugin({ client: CLIENT, directory: process.argv[3] });
hooks.event(FIRST);
console.log(performance.now() - began);
await hooks.dispose();
