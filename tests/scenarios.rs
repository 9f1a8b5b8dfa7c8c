//! Plays `tests/scenarios/*.txt` to the core: one behaviour a file, each file a test case of its name.
//!
//! A line is a time in milliseconds (`900`, or `+500` after the line before), what happens, and what must follow:
//!
//! ```text
//! # A list left unfinished is reminded of once, however many idles come.
//! options {"idleDelayMs": 500}
//! 0     user m1
//! +10   todos "write code:pending" test:completed
//! +900  idle                                       -> wake +500
//! +0    idle                                       -> wake +500
//! +500  wake                                       -> fetch, wake +10000
//! +5    fetched "write code:pending" test:completed -> prompt 1 says "1 of 2", wake +60000
//! +5    prompted
//! ```
//!
//! **What must follow** is a list with commas, and it is exact: a toast, a fetch, a prompt or an alarm that is not listed fails
//! the scenario, and so does one that does not come. Without `->`, or after `-> nothing`, nothing may follow. Only log lines may
//! come unasked; those that are listed must come.
//!
//! - `wake 1400` or `wake +500`: the step's alarm, counted from the line's time
//! - `fetch`, `fetch #2 history 100`: `#2` is the request's number (any, when not given), `history` is 0 when not given
//! - `store 1`: the same as `prompt 1`, but for the turn that runs; `unsend`, `unsend m3`: what was stored last is taken back
//! - `prompt 1`: the reminder with this number; then `#2`, `synthetic`, `says "…"` and `lacks "…"` (parts of the text), and what
//!   differs from the usual person: `agent=plan model=p/m variant=high tools=bash:false,edit:true system="…"`
//! - `scan`, `scan #2`: the other sessions are looked at; `scan report` for a person who asked
//! - `remember paused`, `remember`: the pause or its end is stored with the session
//! - `answer says "…"`: a command is answered in the session; then as after `prompt` what differs from the usual person
//! - `toast "…" "…"`: parts of a warning's title or message (`toast info "…"` for another colour)
//! - `log "…"`, `log warn "…"`, `log file "…"` (when it also goes to the plugin's own file): a part of a log line
//! - `remembers 0`: how many sessions the core keeps in mind
//!
//! A line `run` on top, before the options if there are any, is `opencode run`.
//!
//! **What happens** is about session `s`, unless `@other` names one. Ids of messages ascend as texts do: `m1 < m2`.
//!
//! - `busy`, `retry`, `idle`, `deleted`, `wake`; `failed APIError "what it said"`; `subagent @child of s`
//! - `user m1`: a real message of agent `build` and model `p/m`; the same words as after `prompt` for another person;
//!   `anonymous` when the host does not say who; `mark=1` for the plugin's own; `synthetic`, `mixed` (a synthetic text beside a
//!   typed one), `textless`, `compaction`
//! - `assistant m2 finish=stop` or `error=APIError:"what it said"`
//! - `todos`: the list as `content:status`; quotation marks hold spaces and `\n`, `\"`, `\\`, `\u{202e}`
//! - `step m2`: a step ended with reason `stop`, or with `reason=length`; `calls` when it called tools
//! - `summarising`, `requesting`: the hooks before a summary, and before any request to the model
//! - `asked q1`, `answered q1`
//! - `fetched`: answers the latest fetch of the session, `fetched #7` any. Then the list, or `unknown`, and what is unusual:
//!   `gone` (no session), `parent=p`, `archived`, `reverted`, `compacting`, `paused`, `active=s,other`, `rule=build/todowrite/deny` (of an
//!   agent), `session-rule=todowrite/deny`, `agents-unknown`. Messages stand below it, oldest first, as `| user …` and
//!   `| assistant …` (there also `todos …` at the end, for a list that it wrote); `| …` on top says that there are older ones
//! - `command`, `command pause`: what the person gave; `remembered` and `remembered error=…` answer `remember`
//! - `scanned "what was found"`, `scanned unknown`, `scanned #7 …`: answers the latest scan of the session, or another
//! - `prompted`, `prompted #7`: the prompt was taken; `prompted error=APIError:"…"` when not

#[cfg(not(target_family = "wasm"))]
#[path = "scenarios/expectation.rs"]
mod expectation;
#[cfg(not(target_family = "wasm"))]
#[path = "scenarios/notation.rs"]
mod notation;
#[cfg(not(target_family = "wasm"))]
#[path = "scenarios/stage.rs"]
mod stage;

#[cfg(not(target_family = "wasm"))]
fn main() -> std::process::ExitCode {
    let arguments = libtest_mimic::Arguments::from_args();
    libtest_mimic::run(&arguments, stage::trials()).exit_code()
}

/// The boundary has tests of its own; what the core decides does not depend on the target.
#[cfg(target_family = "wasm")]
const fn main() {}
