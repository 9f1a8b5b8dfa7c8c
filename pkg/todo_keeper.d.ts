/* tslint:disable */
/* eslint-disable */
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



/**
 * The core as JavaScript sees it.
 */
export class Core {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * The next request of `session` is the summary of a compaction: what is to be done, or `undefined`.
     *
     * # Errors
     *
     * None that JavaScript could cause.
     */
    compacting(session: string): Advice | undefined;
    /**
     * Takes in one `Input` that happened at `now` (milliseconds since the Unix epoch) and answers with a `Step`.
     *
     * # Errors
     *
     * When `input` is not an `Input`. The core is as it was before.
     */
    handle(input: Input, now: number): Step;
    /**
     * A core with the options of `sources`, a `Source[]`; `is_run` when opencode runs as `opencode run`.
     *
     * # Errors
     *
     * When `sources` is not of that type.
     */
    constructor(sources: Source[], is_run?: boolean | null);
    /**
     * The places in a list of sessions of those to look at, latest first. `sessions` should be an `OtherSession[]`, `active` the
     * ids of those that are not idle; `session` is the one that asks.
     */
    orphanCandidates(sessions: unknown, active: unknown, session: string): Uint32Array;
    /**
     * What is said of the sessions that were `found`, which should be an `OtherSession[]`, latest first: in a reminder, or as the
     * answer of the tool `todo_orphans`. `undefined` when there is nothing to say, for nothing is known.
     */
    orphanText(found: unknown, is_partial: boolean, now: number, is_report: boolean): string | undefined;
    /**
     * A request is about to go to the model with these `messages`: what is to be done, or `undefined`. Reads of the messages,
     * from the last one backwards, only what counting needs, and never a text.
     *
     * # Errors
     *
     * None: what cannot be read does not count.
     */
    request(messages: HostMessage[]): Advice | undefined;
    /**
     * What is to be done before the first input: a `Step`. Empty when asked again.
     *
     * # Errors
     *
     * None that JavaScript could cause.
     */
    start(): Step;
    /**
     * This core takes the place of one that trapped: what is wrong with the options was said already.
     */
    takeOver(): void;
    /**
     * The `todowrite` ran: the line that the model is told, or `undefined`.
     */
    todowriteDone(session: string, call: string): string | undefined;
    /**
     * What that call left out could not be put back.
     */
    todowriteRefused(session: string, call: string): void;
    /**
     * A `todowrite` is about to run with the list `sent`: a `Guarded`. `present` is the list as the host has it, or `undefined`.
     *
     * # Errors
     *
     * None that JavaScript could cause: a `present` that is no list counts as not known, an item of `sent` that is no todo as
     * nobody's counterpart.
     */
    todowrite(session: string, call: string, present: unknown, sent: unknown): Guarded;
    /**
     * Whether the plugin is to do anything at all.
     */
    readonly isEnabled: boolean;
    /**
     * Whether `todowrite` is guarded at all.
     */
    readonly isGuarding: boolean;
    /**
     * Whether other sessions' todos are looked at.
     */
    readonly isScanning: boolean;
    /**
     * How many sessions the core remembers.
     */
    readonly remembered: number;
}

export function __wbg_reset_state(): void;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_core_free: (a: number, b: number) => void;
    readonly core_compacting: (a: number, b: number, c: number) => [number, number, number];
    readonly core_handle: (a: number, b: any, c: number) => [number, number, number];
    readonly core_isEnabled: (a: number) => number;
    readonly core_isGuarding: (a: number) => number;
    readonly core_isScanning: (a: number) => number;
    readonly core_new: (a: any, b: number) => [number, number, number];
    readonly core_orphanCandidates: (a: number, b: any, c: any, d: number, e: number) => [number, number];
    readonly core_orphanText: (a: number, b: any, c: number, d: number, e: number) => [number, number];
    readonly core_remembered: (a: number) => number;
    readonly core_request: (a: number, b: any) => [number, number, number];
    readonly core_start: (a: number) => [number, number, number];
    readonly core_takeOver: (a: number) => void;
    readonly core_todowrite: (a: number, b: number, c: number, d: number, e: number, f: any, g: any) => [number, number, number];
    readonly core_todowriteDone: (a: number, b: number, c: number, d: number, e: number) => [number, number];
    readonly core_todowriteRefused: (a: number, b: number, c: number, d: number, e: number) => void;
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __wbindgen_exn_store: (a: number) => void;
    readonly __externref_table_alloc: () => number;
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __externref_table_dealloc: (a: number) => void;
    readonly __wbindgen_start: () => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
