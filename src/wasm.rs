//! The boundary to JavaScript: the only file that knows wasm-bindgen and js-sys.

use js_sys::{Array, JSON};
use wasm_bindgen::prelude::*;

use crate::effect::Step;
use crate::guard::Sent;
use crate::id::{MessageId, SessionId};
use crate::input::{self, Input};
use crate::nudge::{Advice, Seen};
use crate::options::Source;
use crate::orphans;
use crate::plugin::Plugin;
use crate::time::Millis;
use todo_keeper_json::Read;
use todo_keeper_json::{self as json, Json};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("wasm.d.ts");

#[wasm_bindgen]
extern "C" {
    /// `Source[]` in TypeScript.
    #[wasm_bindgen(typescript_type = "Source[]")]
    pub type JsSources;
    /// `Input` in TypeScript.
    #[wasm_bindgen(typescript_type = "Input")]
    pub type JsInput;
    /// `Step` in TypeScript.
    #[wasm_bindgen(typescript_type = "Step")]
    pub type JsStep;
    /// `HostMessage[]` in TypeScript.
    #[wasm_bindgen(typescript_type = "HostMessage[]")]
    pub type JsMessages;
    /// `Advice` in TypeScript.
    #[wasm_bindgen(typescript_type = "Advice")]
    pub type JsAdvice;

    /// `unknown` in TypeScript: what should be a list, of todos for one.
    #[wasm_bindgen(typescript_type = "unknown")]
    pub type JsTodos;
    /// `Guarded` in TypeScript.
    #[wasm_bindgen(typescript_type = "Guarded")]
    pub type JsGuarded;

    /// What should be a todo.
    type JsTodo;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn content(this: &JsTodo) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = status)]
    fn todo_status(this: &JsTodo) -> Result<JsValue, JsValue>;

    /// A message of the host, or anything else: a getter that throws or a missing object is an error.
    type JsMessage;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn info(this: &JsMessage) -> Result<JsInfo, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn parts(this: &JsMessage) -> Result<JsValue, JsValue>;

    /// What a message says of itself.
    type JsInfo;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn id(this: &JsInfo) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = sessionID)]
    fn session(this: &JsInfo) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn role(this: &JsInfo) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn finish(this: &JsInfo) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn error(this: &JsInfo) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn summary(this: &JsInfo) -> Result<JsValue, JsValue>;

    /// A part of a message.
    type JsPart;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn tool(this: &JsPart) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn state(this: &JsPart) -> Result<JsToolState, JsValue>;

    /// The state of a tool call.
    type JsToolState;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn status(this: &JsToolState) -> Result<JsValue, JsValue>;
}

impl JsMessage {
    /// What this message is to the counting of requests (R9).
    fn seen(&self, task_tools: &[String]) -> Seen {
        self.request_of(task_tools).unwrap_or(Seen::Other)
    }

    fn request_of(&self, task_tools: &[String]) -> Option<Seen> {
        let info = self.info().ok()?;
        let is_whole = text(info.role())? == "assistant" && text(info.finish()).is_some();
        if !is_whole || info.error().ok()?.is_truthy() {
            return None;
        }
        if info.summary().ok()?.is_truthy() {
            return Some(Seen::Summary);
        }
        let id = MessageId(text(info.id())?);
        let parts = self.parts().ok()?;
        let mut parts = parts.dyn_ref::<Array>()?.iter();
        Some(Seen::Request { id, called_task_tool: parts.any(|part| calls_one_of(task_tools, part.unchecked_ref())) })
    }
}

/// Whether a part is a call of one of `task_tools` that did not fail.
fn calls_one_of(task_tools: &[String], part: &JsPart) -> bool {
    let Some(tool) = text(part.tool()) else { return false };
    let status = || text(part.state().and_then(|state| state.status()));
    task_tools.contains(&tool) && status().is_none_or(|status| status != "error")
}

/// The content and the status of what should be a todo.
fn sent_todo(item: JsValue) -> (Option<String>, Option<String>) {
    let todo: JsTodo = item.unchecked_into();
    (text(todo.content()), text(todo.todo_status()))
}

/// The string that was read, if it is one.
fn text(value: Result<JsValue, JsValue>) -> Option<String> {
    value.ok()?.as_string()
}

/// The core as JavaScript sees it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Core {
    plugin: Plugin,
    first: Step,
}

#[wasm_bindgen]
impl Core {
    /// A core with the options of `sources`, a `Source[]`; `is_run` when opencode runs as `opencode run`.
    ///
    /// # Errors
    ///
    /// When `sources` is not of that type.
    #[wasm_bindgen(constructor)]
    pub fn new(sources: &JsSources, is_run: Option<bool>) -> Result<Core, JsValue> {
        let sources = read(sources, |sources| sources.all(Source::read).map_err(|wrong| wrong.within("sources")))?;
        let (plugin, first) = Plugin::new(&sources);
        let plugin = if is_run == Some(true) { plugin.under_run() } else { plugin };
        Ok(Self { plugin, first })
    }

    /// What is to be done before the first input: a `Step`. Empty when asked again.
    ///
    /// # Errors
    ///
    /// None that JavaScript could cause.
    pub fn start(&mut self) -> Result<JsStep, JsValue> {
        to_js(&std::mem::take(&mut self.first))
    }

    /// This core takes the place of one that trapped: what is wrong with the options was said already.
    #[wasm_bindgen(js_name = takeOver)]
    pub fn take_over(&mut self) {
        self.first = Step::default();
        self.plugin.forget_diagnostics();
    }

    /// Takes in one `Input` that happened at `now` (milliseconds since the Unix epoch) and answers with a `Step`.
    ///
    /// # Errors
    ///
    /// When `input` is not an `Input`. The core is as it was before.
    pub fn handle(&mut self, input: &JsInput, now: f64) -> Result<JsStep, JsValue> {
        let input = Input::from_json(&text_of(input)?).map_err(|wrong| error(&wrong))?;
        to_js(&self.plugin.handle(input, millis(now)))
    }

    /// A request is about to go to the model with these `messages`: what is to be done, or `undefined`. Reads of the messages,
    /// from the last one backwards, only what counting needs, and never a text.
    ///
    /// # Errors
    ///
    /// None: what cannot be read does not count.
    pub fn request(&mut self, messages: &JsMessages) -> Result<Option<JsAdvice>, JsValue> {
        let messages = messages.unchecked_ref::<Array>();
        let at = |index| messages.get(index).unchecked_into::<JsMessage>();
        let Some(session) = messages.length().checked_sub(1).and_then(|last| text(at(last).info().ok()?.session()))
        else {
            return Ok(None);
        };
        let task_tools = self.plugin.options().task_tools.clone();
        let latest_first = (0..messages.length()).rev().map(|index| at(index).seen(&task_tools));
        advice_to_js(&self.plugin.on_request(&SessionId(session), latest_first))
    }

    /// The next request of `session` is the summary of a compaction: what is to be done, or `undefined`.
    ///
    /// # Errors
    ///
    /// None that JavaScript could cause.
    pub fn compacting(&mut self, session: String) -> Result<Option<JsAdvice>, JsValue> {
        advice_to_js(&self.plugin.on_compacting(&SessionId(session)))
    }

    /// Whether the plugin is to do anything at all.
    #[wasm_bindgen(getter, js_name = isEnabled)]
    pub fn is_enabled(&self) -> bool {
        self.plugin.options().enabled
    }

    /// Whether `todowrite` is guarded at all.
    #[wasm_bindgen(getter, js_name = isGuarding)]
    pub fn is_guarding(&self) -> bool {
        self.plugin.options().enabled && self.plugin.options().preserve_unfinished_todos
    }

    /// A `todowrite` is about to run with the list `sent`: a `Guarded`. `present` is the list as the host has it, or `undefined`.
    ///
    /// # Errors
    ///
    /// None that JavaScript could cause: a `present` that is no list counts as not known, an item of `sent` that is no todo as
    /// nobody's counterpart.
    pub fn todowrite(
        &mut self,
        session: String,
        call: &str,
        present: &JsTodos,
        sent: &JsTodos,
    ) -> Result<JsGuarded, JsValue> {
        let present = read(present, input::read::todos).ok();
        let sent =
            sent.dyn_ref::<Array>().map(|items| items.iter().map(sent_todo).collect::<Vec<_>>()).unwrap_or_default();
        let sent: Vec<Sent<'_>> = sent
            .iter()
            .map(|(content, status)| Sent { content: content.as_deref(), status: status.as_deref() })
            .collect();
        let guarded = self.plugin.on_todowrite(&SessionId(session), call, present.as_deref(), &sent);
        Ok(JSON::parse(&guarded.written())?.unchecked_into())
    }

    /// What that call left out could not be put back.
    #[wasm_bindgen(js_name = todowriteRefused)]
    pub fn todowrite_refused(&mut self, session: String, call: &str) {
        self.plugin.on_todowrite_refused(&SessionId(session), call);
    }

    /// The `todowrite` ran: the line that the model is told, or `undefined`.
    #[wasm_bindgen(js_name = todowriteDone)]
    pub fn todowrite_done(&mut self, session: String, call: &str) -> Option<String> {
        self.plugin.on_todowrite_done(&SessionId(session), call)
    }

    /// Whether other sessions' todos are looked at.
    #[wasm_bindgen(getter, js_name = isScanning)]
    pub fn is_scanning(&self) -> bool {
        self.plugin.options().scans_orphans()
    }

    /// The places in a list of sessions of those to look at, latest first. `sessions` should be an `OtherSession[]`, `active` the
    /// ids of those that are not idle; `session` is the one that asks.
    #[wasm_bindgen(js_name = orphanCandidates)]
    pub fn orphan_candidates(&self, sessions: &JsTodos, active: &JsTodos, session: String) -> Vec<u32> {
        let listed = read(sessions, input::read::others).unwrap_or_default();
        let active = read(active, input::read::sessions).unwrap_or_default();
        self.plugin.orphan_candidates(&listed, &active, &SessionId(session))
    }

    /// What is said of the sessions that were `found`, which should be an `OtherSession[]`, latest first: in a reminder, or as the
    /// answer of the tool `todo_orphans`. `undefined` when there is nothing to say, for nothing is known.
    #[wasm_bindgen(js_name = orphanText)]
    pub fn orphan_text(&self, found: &JsTodos, is_partial: bool, now: f64, is_report: bool) -> Option<String> {
        let found = read(found, input::read::others).ok();
        orphans::text(self.plugin.options(), found.as_deref(), is_partial, millis(now), is_report)
    }

    /// How many sessions the core remembers.
    #[wasm_bindgen(getter)]
    pub fn remembered(&self) -> usize {
        self.plugin.remembered()
    }
}

/// Real traps, for tests.
#[cfg(feature = "traps")]
#[wasm_bindgen]
impl Core {
    /// Panics.
    #[expect(clippy::panic, reason = "that is what it is for")]
    #[wasm_bindgen(js_name = trapByPanic)]
    pub fn trap_by_panic(&mut self) {
        panic!("as asked");
    }

    /// Asks for more memory than there is.
    #[wasm_bindgen(js_name = trapByMemory)]
    pub fn trap_by_memory(&mut self) {
        let mut hoard = Vec::new();
        loop {
            hoard.push(std::hint::black_box(Vec::<u8>::with_capacity(1 << 29)));
        }
    }

    /// Calls itself until the stack is used up.
    #[wasm_bindgen(js_name = trapByStack)]
    pub fn trap_by_stack(&mut self) {
        fn deeper(depth: usize) -> usize {
            let room = std::hint::black_box([depth; 512]);
            deeper(room.len() + depth) + room.iter().sum::<usize>()
        }
        std::hint::black_box(deeper(0));
    }
}

/// Reads what JavaScript sent.
fn read<T>(value: &JsValue, read: fn(Json<'_>) -> Read<T>) -> Result<T, JsValue> {
    let text = text_of(value)?;
    let value = json::read(&text).map_err(|wrong| error(&wrong))?;
    read(value.unwrap_or(Json::Null)).map_err(|wrong| error(&wrong.to_string()))
}

/// What JavaScript sent, as JSON; what JSON does not have is an empty text. Throws what reading the value throws.
fn text_of(value: &JsValue) -> Result<String, JsValue> {
    Ok(JSON::stringify(value)?.as_string().unwrap_or_default())
}

fn error(wrong: &str) -> JsValue {
    JsError::new(wrong).into()
}

fn to_js(step: &Step) -> Result<JsStep, JsValue> {
    Ok(JSON::parse(&step.written())?.unchecked_into())
}

fn advice_to_js(advice: &Advice) -> Result<Option<JsAdvice>, JsValue> {
    if advice.is_empty() { Ok(None) } else { Ok(Some(JSON::parse(&advice.written())?.unchecked_into())) }
}

/// Whole milliseconds; what is no time (not a number, negative) is the beginning of time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and fractions do not matter"
)]
const fn millis(now: f64) -> Millis {
    Millis(now as u64)
}
