// The same decisions in plain JavaScript, with maps in a closure and no WebAssembly: what the boundary is measured against.
// It decides when a reminder is due and when a session pauses; it sanitises nothing, reads no options and never sends.

import { plainGuardHooks } from "./guard.js";
import { plainMessagesHook } from "./messages-hook.js";
import { plainOrphanHooks } from "./orphans.js";

/** @param {any} input what opencode gives a plugin */
export default async function baseline({ client }) {
  const IDLE_DELAY_MS = 500;
  const MOST_REMINDERS = 3;
  const sessions = new Map();
  const parents = new Map();
  let timer;

  function known(id) {
    let session = sessions.get(id);
    if (!session) {
      session = { state: "busy", todos: [], best: new Map(), asks: new Set(), spent: 0 };
      sessions.set(id, session);
    }
    return session;
  }

  function arm() {
    clearTimeout(timer);
    let next = Infinity;
    for (const { state, due } of sessions.values())
      if (state === "waiting" && due < next) next = due;
    if (next !== Infinity) timer = setTimeout(() => {}, Math.max(next - Date.now(), 0)).unref();
  }

  function become(session, state, due) {
    const hadAlarm = session.state === "waiting";
    session.state = state;
    session.due = due;
    if (hadAlarm || state === "waiting") arm();
  }

  const STAGES = { in_progress: 1, completed: 2, cancelled: 2 };
  function observe(session, todos) {
    session.todos = todos.map(({ content, status, priority }) => ({ content, status, priority }));
    for (const { content, status } of todos) {
      const stage = STAGES[status] ?? 0;
      const best = session.best.get(content);
      if (best !== undefined && stage > best) session.spent = 0;
      if (best === undefined || stage > best) session.best.set(content, stage);
    }
  }

  function onIdle(id) {
    const session = known(id);
    if (session.state !== "busy" || parents.has(id)) return;
    const { lastAnswer } = session;
    if (lastAnswer?.finish === "tool-calls") become(session, "paused");
    else if (session.spent >= MOST_REMINDERS) become(session, "exhausted");
    else become(session, "waiting", Date.now() + IDLE_DELAY_MS);
  }

  function onBusy(id) {
    const session = known(id);
    if (session.state !== "paused" && session.state !== "exhausted") become(session, "busy");
  }

  function onMessage({ id, sessionID, agent, model, tools, system }, parts) {
    const texts = parts.filter(({ type }) => type === "text");
    if (texts.length > 0 && texts.every(({ synthetic }) => synthetic)) return;
    const session = known(sessionID);
    session.person = { id, agent, model, tools, system };
    session.best.clear();
    session.spent = 0;
    session.lastAnswer = undefined;
    session.asks.clear();
    observe(session, session.todos);
    become(session, "busy");
  }

  function onEvent({ type, properties }) {
    switch (type) {
      case "session.status":
        if (properties.status.type === "idle") onIdle(properties.sessionID);
        else onBusy(properties.sessionID);
        return;
      case "session.idle":
        return onIdle(properties.sessionID);
      case "session.error":
        if (properties.sessionID) become(known(properties.sessionID), "paused");
        return;
      case "session.created":
      case "session.updated":
        if (properties.info.parentID) parents.set(properties.info.id, properties.info.parentID);
        return;
      case "session.deleted":
        sessions.delete(properties.info.id);
        parents.delete(properties.info.id);
        return;
      case "message.updated": {
        const { info } = properties;
        if (info.role !== "assistant" || !(info.error || info.time?.completed)) return;
        if (info.error) become(known(info.sessionID), "paused");
        else known(info.sessionID).lastAnswer = { id: info.id, finish: info.finish };
        return;
      }
      case "todo.updated":
        return observe(known(properties.sessionID), properties.todos);
      case "permission.asked":
      case "question.asked":
        known(properties.sessionID).asks.add(properties.id);
        return;
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        known(properties.sessionID).asks.delete(properties.requestID);
        return;
    }
  }

  return {
    event: ({ event }) => onEvent(event),
    "chat.message": async (_input, { message, parts }) => onMessage(message, parts),
    ...plainMessagesHook(),
    ...plainOrphanHooks(client),
    ...plainGuardHooks((session) => known(session).todos ?? []),
    dispose: async () => clearTimeout(timer),
  };
}
