/** One place that options were read from. */
export interface Source { file: string; text?: string | undefined; error?: string | undefined }

/** A todo as opencode stores it. */
export interface Todo { content: string; status: string; priority: string }

/** An error as opencode names it. */
export interface Failure { name: string; message: string }

/** As whom a prompt speaks. */
export interface Identity {
  agent: string;
  model: { providerID: string; modelID: string };
  variant?: string | undefined;
  tools?: Record<string, boolean> | undefined;
  system?: string | undefined;
}

/** The mark on the plugin's own messages. */
export interface Mark { reminder: number }

/** A user message, whoever wrote it. */
export interface UserMessage {
  id: string;
  identity?: Identity | undefined;
  mark?: Mark | undefined;
  texts: number;
  syntheticTexts: number;
  isCompaction: boolean;
}

/** What matters of an assistant message. */
export interface AssistantMessage { id: string; error?: Failure | undefined; finish?: string | undefined; todos?: Todo[][] | undefined }

/** A message of a history. */
export type Message = ({ role: "user" } & UserMessage) | ({ role: "assistant" } & AssistantMessage);

/** One permission, as opencode resolves it. */
export interface Rule { permission: string; pattern: string; action: string }

/** A session as the host describes it. */
export interface SessionInfo {
  parent?: string | undefined;
  isArchived: boolean;
  isReverted: boolean;
  isCompacting: boolean;
  isPaused: boolean;
  rules: Rule[];
}

/** What the host knows of a session at one moment. */
export interface Snapshot {
  todos?: Todo[] | undefined;
  info?: SessionInfo | undefined;
  active?: string[] | undefined;
  agents?: { name: string; rules: Rule[] }[] | undefined;
  history?: { messages: Message[]; isWhole: boolean } | undefined;
}

/** Another session; `touched` in minutes since the Unix epoch. */
export interface OtherSession {
  session: string;
  title: string;
  touched: number;
  parent?: string | undefined;
  isArchived: boolean;
  todos?: Todo[] | undefined;
}

/** One thing that happened. */
export type Input =
  | { type: "sessionBusy"; session: string }
  | { type: "sessionRetrying"; session: string }
  | { type: "sessionIdle"; session: string }
  | { type: "sessionFailed"; session: string; error: Failure }
  | { type: "subagentSeen"; session: string; parent: string }
  | { type: "sessionDeleted"; session: string }
  | { type: "userMessage"; session: string; message: UserMessage }
  | { type: "assistantMessage"; session: string; message: AssistantMessage }
  | { type: "stepEnded"; session: string; message: string; reason: string; hasCalls: boolean }
  | { type: "todosUpdated"; session: string; todos: Todo[] }
  | { type: "asked"; session: string; ask: string }
  | { type: "answered"; session: string; ask: string }
  | { type: "fetched"; request: number; session: string; snapshot: Snapshot }
  | { type: "prompted"; request: number; session: string; error?: Failure | undefined }
  | { type: "scanned"; request: number; session: string; table?: string | undefined }
  | { type: "command"; session: string; arguments: string }
  | { type: "remembered"; request: number; session: string; error?: Failure | undefined }
  | { type: "wake" };

/** One thing to do. */
export type Effect =
  | { type: "fetch"; request: number; session: string; history: number }
  | {
      type: "prompt";
      request: number;
      session: string;
      text: string;
      identity: Identity;
      synthetic: boolean;
      mark: Mark;
      noReply: boolean;
    }
  | { type: "scan"; request: number; session: string; isReport: boolean }
  | { type: "remember"; request: number; session: string; isPaused: boolean }
  | { type: "answer"; session: string; text: string; identity: Identity }
  | { type: "unsend"; session: string; request: number; message: string | null }
  | { type: "toast"; variant: "info" | "warning" | "error"; title: string; message: string }
  | { type: "log"; level: "debug" | "info" | "warn" | "error"; message: string; session: string | null; toFile: boolean };

/** The answer to an input. */
export interface Step { effects: Effect[]; wakeAt: number | null }

/** A message as the messages hook gives it; only the core reads it. */
export type HostMessage = object;

/** What is to be done before a request goes out. */
export interface Advice {
  effects: Effect[];
  isOpen: boolean;
  addition: { text: string; placement: "tail" | "userMessage" } | null;
}

/** What is to be done before a `todowrite` runs. */
export interface Guarded { effects: Effect[]; kept: Todo[] }
