// The entry: opencode calls its one export, once for each directory.

/**
 * @param {any} input
 * @param {unknown} [options]
 */
export default async function todoKeeper(input, options) {
  try {
    // Not a static import: when a part of the package is missing or damaged, the person should hear of it.
    const [{ keep }, { oneAtWork }] = await Promise.all([
      import("./keeper.js"),
      import("./registry.js"),
    ]);
    const standBy = () =>
      log(input.client, "debug", "another copy of this plugin works in this directory");
    return oneAtWork(input, () => keep(input, options), standBy);
  } catch (error) {
    return broken(input?.client, error);
  }
}

/**
 * The hooks of a plugin that cannot start: they tell the person once, with the first message.
 * @param {any} client
 * @param {unknown} error
 */
function broken(client, error) {
  const message = `The plugin could not be loaded and does nothing: ${error}. Install opencode-todo-keeper again.`;
  log(client, "error", message);
  let isSaid = false;
  return {
    "chat.message": async () => {
      if (isSaid) return;
      isSaid = true;
      attempt(() =>
        client.tui.showToast({
          body: { variant: "error", title: "Todo reminders are off", message },
        }),
      );
    },
  };
}

/**
 * @param {any} client
 * @param {"debug" | "error"} level
 * @param {string} message
 */
function log(client, level, message) {
  const body = { service: "todo-keeper", level, message: `todo-keeper: ${message}` };
  attempt(() => client.app.log({ body }));
}

/** @param {() => Promise<unknown>} act */
async function attempt(act) {
  try {
    await act();
  } catch {
    // Nobody is left to tell.
  }
}
