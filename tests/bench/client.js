// A client that takes everything and does nothing: what is measured is the plugin.

const nothing = async () => ({ data: undefined });

export const CLIENT = {
  session: {
    todo: nothing,
    get: nothing,
    status: nothing,
    messages: nothing,
    promptAsync: nothing,
  },
  app: { log: nothing, agents: nothing },
  tui: { showToast: nothing },
};
