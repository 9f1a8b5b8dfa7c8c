// What a host may do instead of what it should.

/** What a method of the client does when it does not do what it should. */
export const FAILURES = {
  "is missing": undefined,
  throws: () => {
    throw new TypeError("thrown");
  },
  rejects: () => Promise.reject(new Error("rejected")),
  "rejects with nothing": () => Promise.reject(),
  "rejects with what has no text": () => Promise.reject(Object.create(null)),
  "answers with an error": async () => ({
    error: { name: "UnknownError", data: { message: "e" } },
  }),
  "answers with a text as its error": async () => ({ error: "no" }),
  "answers with nothing": async () => undefined,
  "answers without data": async () => ({}),
  "answers with null": async () => ({ data: null }),
  "answers with a number": async () => ({ data: 42 }),
  "answers with a text": async () => ({ data: "todos" }),
  "answers with a list of nothing": async () => ({ data: [null] }),
  "answers with a list of empty objects": async () => ({ data: [{}] }),
  "answers with a cycle": async () => ({ data: cycle() }),
  "answers with a list of cycles": async () => ({ data: [cycle()] }),
  "answers with a proxy that throws": async () => ({
    data: hostile(() => new Error("do not touch")),
  }),
  "does not answer in time": () => new Promise(() => {}),
};

export function cycle() {
  const cycle = {};
  cycle.self = cycle;
  return cycle;
}

/** An object that throws whatever is done with it. */
export function hostile(thrown) {
  const trap = () => {
    throw thrown();
  };
  const traps = { get: trap, has: trap, ownKeys: trap, getOwnPropertyDescriptor: trap };
  return new Proxy({}, { ...traps, getPrototypeOf: trap });
}
