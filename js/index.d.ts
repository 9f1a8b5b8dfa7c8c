/** The options of opencode-todo-keeper; each may be left out. */
export interface Options {
  /** Whether the plugin does anything at all. Default `true`. */
  enabled?: boolean;
  /** The statuses of an unfinished todo. Default `["pending", "in_progress", "open"]`. */
  triggerStatuses?: string[];
  /** Reminders without progress before the plugin stops, 0 to 1000. Default 3. */
  maxAutoSubmitsPerTodo?: number;
  /** Reminders after one message of yours, however much progress there is, 0 to 1000. Default 50. */
  maxRemindersPerMessage?: number;
  /** Milliseconds between idle and the reminder, 0 to 3600000. Default 500. */
  idleDelayMs?: number;
  /** The reminder when no todo is in progress. */
  messageFormat?: string;
  /** The reminder when a todo is in progress. */
  inProgressMessageFormat?: string;
  /** Whether toasts are shown. Default `true`. */
  useToasts?: boolean;
  /**
   * Whether reminders come inside the turn, which then goes on without going idle; `opencode run` quits at the first idle.
   * `"auto"`, the default: only under `opencode run`.
   */
  continueInRun?: "auto" | boolean;
  /** Agents whose sessions get no reminder. Default `["plan"]`. */
  skipAgents?: string[];
  /** Whether the reminder is marked synthetic, which hides it from you. Default `false`. */
  syntheticPrompt?: boolean;
  /** Whether a session's first reminder shows the unfinished todos of other sessions. Default `false`. */
  warnOrphanedTodos?: boolean;
  /** How many other sessions are looked at for that, the latest first, 0 to 1000. Default 20. */
  orphanScanLimit?: number;
  /** Whether unfinished todos that a `todowrite` leaves out are put back. Default `true`. */
  preserveUnfinishedTodos?: boolean;
  /** Whether the log also goes to `.opencode/todo-reminder.log`. Default `false`. */
  debug?: boolean;
  /** The reminder inside a turn. */
  nudge?: NudgeOptions;
  /** The tools whose call counts as a look at the list. Default `["todowrite"]`. */
  taskTools?: string[];
}

/** The options of the reminder inside a turn. */
export interface NudgeOptions {
  /** Whether there is one. Default `true`. */
  enabled?: boolean;
  /** How many requests without a call of `taskTools` come before one, 1 to 1000. Default 8. */
  afterRequests?: number;
  /** How many requests come between two at least, 1 to 1000. Default 8. */
  cooldownRequests?: number;
  /** Where in the request it goes: to the end, which keeps the provider's cache, or into your latest message. Default `"tail"`. */
  placement?: "tail" | "user-message";
  /** What it says. */
  messageFormat?: string;
}

/** The plugin function that opencode calls, once for each directory. */
declare const todoKeeper: (input: unknown, options?: Options) => Promise<Record<string, unknown>>;
export default todoKeeper;
