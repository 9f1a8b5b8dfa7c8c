// The entry: opencode calls its one export, once for each directory.

/**
 * @param {any} input
 * @param {unknown} [options]
 */
export default async function todoKeeper(input, options) {
  try {
    // Not a static import: when a part of the package is missing or damaged, the person should hear of it.
    const { keep } = await import("./keeper.js");
    return keep(input, options);
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
  /** @param {() => Promise<unknown>} act */
  const attempt = async (act) => {
    try {
      await act();
    } catch {
      // Nobody is left to tell.
    }
  };
  attempt(() =>
    client.app.log({
      body: { service: "todo-keeper", level: "error", message: `todo-keeper: ${message}` },
    }),
  );
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
