//! All sessions of one project directory, and the options; routes each input to its session.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write as _;

use crate::effect::{Effect, Level, Step, ToastVariant};
use crate::family::Family;
use crate::guard::{self, Sent};
use crate::id::{RequestIds, SessionId};
use crate::input::{Agent, Input, Snapshot};
use crate::nudge::{Advice, Seen};
use crate::options::{Diagnostic, Options, Source};
use crate::orphans::{self, Other};
use crate::session::{Cx, Session, switch};
use crate::sorted::SortedMap;
use crate::time::Millis;
use crate::todo::Todo;
use crate::todowrite::{Calls, Guarded};

/// The most lines of wrong options that one toast shows; the log has all.
const MAX_TOAST_LINES: usize = 5;

/// How long a session is remembered of which nothing is heard, in milliseconds: a day.
const MEMORY: u64 = 86_400_000;

/// How often it is looked for such sessions, in milliseconds: every hour, if anything happens.
const SWEEP_INTERVAL: u64 = 3_600_000;

/// What a command is answered in a subagent's session.
const SUBAGENT: &str =
    "This is a subagent's session, which gets no reminders. Give the command in the session that started it.";

/// The core: takes inputs, answers with steps, does nothing itself.
#[derive(Debug)]
pub struct Plugin {
    options: Options,
    diagnostics: Vec<Diagnostic>,
    sessions: SortedMap<SessionId, Box<Session>>,
    /// When sessions want to be woken. An alarm that is no longer its session's is stale and is dropped when it is due.
    alarms: BinaryHeap<Reverse<(Millis, SessionId)>>,
    family: Family,
    calls: Calls,
    /// The agents of the project as the host last named them; empty before.
    agents: Vec<Agent>,
    requests: RequestIds,
    now: Millis,
    /// When it is next looked for sessions of which nothing is heard.
    sweep_at: Millis,
}

impl Plugin {
    /// A plugin with the options that `sources` give; the first [`Step`] tells what was wrong with them in the log.
    #[must_use]
    pub fn new(sources: &[Source]) -> (Self, Step) {
        let (options, diagnostics) = Options::resolve(sources);
        let to_file = options.debug;
        let log = |diagnostic: &Diagnostic| Effect::Log {
            level: Level::Warn,
            message: diagnostic.to_string(),
            session: None,
            to_file,
        };
        let effects = diagnostics.iter().map(log).collect();
        let plugin = Self {
            options,
            diagnostics,
            sessions: SortedMap::default(),
            alarms: BinaryHeap::new(),
            family: Family::default(),
            calls: Calls::default(),
            agents: Vec::new(),
            requests: RequestIds::default(),
            now: Millis::default(),
            sweep_at: Millis::default(),
        };
        (plugin, Step { effects, wake_at: None })
    }

    /// The same under `opencode run`: it ends at the first idle, and nobody sees a toast.
    #[must_use]
    pub fn under_run(mut self) -> Self {
        self.options.continue_in_run = self.options.continue_in_run.or(Some(true));
        self.options.ends_at_idle = true;
        self.options.use_toasts = false;
        self
    }

    /// The options in force.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// How many sessions are remembered.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.sessions.len() + self.family.len()
    }

    /// Takes in one input that happened at `now`. A clock that goes back is taken to stand still.
    pub fn handle(&mut self, input: Input, now: Millis) -> Step {
        self.now = self.now.max(now);
        let mut effects = Vec::new();
        if let Input::UserMessage { message, .. } = &input
            && message.is_real()
        {
            self.report_options(&mut effects);
        }
        if self.options.enabled {
            self.family.now = self.now;
            self.route(input, &mut effects);
            self.sweep();
        }
        Step { effects, wake_at: self.next_alarm() }
    }

    /// A request of `session` is about to go to the model; `latest_first` are its messages, read only as far as they must be.
    pub fn on_request(&mut self, session: &SessionId, latest_first: impl Iterator<Item = Seen>) -> Advice {
        self.advise(session, |known, cx| known.on_request(latest_first, cx))
    }

    /// The next request of `session` is the summary of a compaction.
    pub fn on_compacting(&mut self, session: &SessionId) -> Advice {
        self.advise(session, Session::on_compacting)
    }

    /// A `todowrite` is about to run: which todos of the present list have to be put back into the one that was `sent`. `present`
    /// is what the host said of the list, if it answered; else the list as last heard of counts.
    pub fn on_todowrite(
        &mut self,
        session: &SessionId,
        call: &str,
        present: Option<&[Todo]>,
        sent: &[Sent<'_>],
    ) -> Guarded {
        let Some(present) = present.or_else(|| self.known_todos(session)) else {
            self.calls.began(session, call, &[]);
            return Guarded {
                effects: vec![self.guard_log(session, "guard: the present list is not known")],
                kept: vec![],
            };
        };
        let left_out = guard::left_out(present, sent, |status| self.options.is_unfinished(status));
        let kept: Vec<Todo> = left_out.into_iter().cloned().collect();
        self.calls.began(session, call, &kept);
        let effects = match kept.len() {
            0 => Vec::new(),
            count => vec![self.guard_log(session, &format!("guard: {count} unfinished todos are put back"))],
        };
        Guarded { effects, kept }
    }

    /// Which of the sessions that the host lists are looked at for `session`, by their places, latest first (R10): no other
    /// one that runs, or whose subagents do, according to `active`.
    #[must_use]
    pub fn orphan_candidates(&self, listed: &[Other], active: &[SessionId], session: &SessionId) -> Vec<u32> {
        let own = self.family.root_of(session);
        let is_busy = |other: &SessionId| {
            other == own || active.iter().any(|active| active == other || self.family.root_of(active) == other)
        };
        orphans::candidates(listed, self.options.orphan_scan_limit, &is_busy)
    }

    /// The list of that call could not be changed.
    pub fn on_todowrite_refused(&mut self, session: &SessionId, call: &str) {
        self.calls.refused(session, call);
    }

    /// A `todowrite` ran: what the model is told beside the tool's answer.
    pub fn on_todowrite_done(&mut self, session: &SessionId, call: &str) -> Option<String> {
        self.calls.done(session, call)
    }

    /// A list was written. What it dropped although it was guarded must be told.
    fn check_written(&mut self, session: &SessionId, todos: &[Todo], effects: &mut Vec<Effect>) {
        let before = self.known_todos(session).unwrap_or_default();
        // The usual case: statuses changed, or todos were added.
        let is_there = |(place, todo): (usize, &Todo)| todos.get(place).is_some_and(|now| now.content == todo.content);
        if !self.options.preserve_unfinished_todos || before.iter().enumerate().all(is_there) {
            return;
        }
        let written: Vec<Sent<'_>> =
            todos.iter().map(|todo| Sent { content: Some(&todo.content), status: Some(&todo.status) }).collect();
        let dropped = guard::left_out(before, &written, |status| self.options.is_unfinished(status));
        let dropped: Vec<Todo> = dropped.into_iter().cloned().collect();
        if !dropped.is_empty() {
            let message = format!("guard: a list was written without {} unfinished todos", dropped.len());
            effects.push(self.guard_log(session, &message));
            self.calls.dropped(session, &dropped);
        }
    }

    /// The list of a session as last heard of.
    fn known_todos(&self, session: &SessionId) -> Option<&[Todo]> {
        self.sessions.get(session).and_then(|known| known.todos()).or_else(|| self.family.todos(session))
    }

    fn guard_log(&self, session: &SessionId, message: &str) -> Effect {
        let (message, session) = (message.to_owned(), Some(session.clone()));
        Effect::Log { level: Level::Debug, message, session, to_file: self.options.debug }
    }

    fn advise(&mut self, session: &SessionId, ask: impl FnOnce(&mut Session, &mut Cx<'_>) -> Advice) -> Advice {
        let mut advice = Advice::default();
        if self.options.enabled {
            let mut effects = Vec::new();
            self.with(session, &mut effects, |known, cx| advice = ask(known, cx));
            advice.effects.append(&mut effects);
        }
        advice
    }

    /// Forgets the sessions of which nothing was heard for a day. One that comes back is taken up as after a restart.
    fn sweep(&mut self) {
        if self.sweep_at > self.now {
            return;
        }
        self.sweep_at = self.now.after(SWEEP_INTERVAL);
        let now = self.now;
        self.sessions.retain(|_, session| session.heard_at.after(MEMORY) > now);
        self.family.forget_unheard(MEMORY);
    }

    fn route(&mut self, input: Input, effects: &mut Vec<Effect>) {
        match input {
            Input::SessionBusy { session } => self.on_busy(&session, false, effects),
            Input::SessionRetrying { session } => self.on_busy(&session, true, effects),
            Input::SessionIdle { session } => self.on_idle(&session, effects),
            Input::SessionFailed { session, error } => {
                self.with(&session, effects, |known, cx| known.on_failed(error, cx));
            }
            Input::SubagentSeen { session, parent } => self.on_subagent(session, parent),
            Input::SessionDeleted { session } => self.on_deleted(&session, effects),
            Input::UserMessage { session, message } => {
                self.with(&session, effects, |known, cx| known.on_user_message(message, cx));
            }
            Input::AssistantMessage { session, message } => {
                self.with(&session, effects, |known, cx| known.on_assistant_message(message, cx));
            }
            Input::TodosUpdated { session, todos } => self.on_todos(&session, todos, effects),
            Input::StepEnded { session, message, reason, has_calls } => {
                self.with(&session, effects, |known, cx| known.on_step_ended(message, &reason, has_calls, cx));
            }
            Input::Asked { session, ask } => self.with(&session, effects, |known, _| known.on_asked(ask)),
            Input::Answered { session, ask } => self.with(&session, effects, |known, _| known.on_answered(&ask)),
            Input::Fetched { request, session, snapshot } => {
                let is_asked = self.sessions.get(&session).is_some_and(|known| known.is_asked());
                self.learn(&session, &snapshot);
                if is_asked && self.family.is_subagent(&session) {
                    effects.push(switch::said(SUBAGENT.to_owned()));
                }
                self.with_known(&session, effects, |known, cx| known.on_fetched(request, &snapshot, cx));
            }
            Input::Prompted { request, session, error } => {
                self.with_known(&session, effects, |known, cx| known.on_prompted(request, error, cx));
            }
            Input::Command { session, arguments } => {
                if self.family.is_subagent(&session) {
                    effects.push(switch::said(SUBAGENT.to_owned()));
                }
                self.with(&session, effects, |known, cx| known.on_command(&arguments, cx));
            }
            Input::Remembered { request, session, error } => {
                self.with_known(&session, effects, |known, cx| known.on_remembered(request, error, cx));
            }
            Input::Scanned { request, session, table } => {
                self.with_known(&session, effects, |known, cx| known.on_scanned(request, table, cx));
            }
            Input::Wake => self.on_wake(effects),
        }
    }

    fn on_busy(&mut self, session: &SessionId, is_retry: bool, effects: &mut Vec<Effect>) {
        self.family.set_running(session, true);
        self.with(session, effects, |known, cx| known.on_busy(cx, is_retry));
    }

    fn on_idle(&mut self, session: &SessionId, effects: &mut Vec<Effect>) {
        self.family.set_running(session, false);
        self.on_descendant_ended(session, effects);
        self.with(session, effects, Session::on_idle);
    }

    fn on_todos(&mut self, session: &SessionId, todos: Vec<Todo>, effects: &mut Vec<Effect>) {
        self.check_written(session, &todos, effects);
        if self.family.is_subagent(session) {
            self.family.set_todos(session, todos);
        } else {
            self.with(session, effects, |known, _| known.on_todos(todos));
        }
    }

    fn on_subagent(&mut self, session: SessionId, parent: SessionId) {
        self.sessions.remove(&session);
        self.family.adopt(session, parent);
    }

    fn on_deleted(&mut self, session: &SessionId, effects: &mut Vec<Effect>) {
        self.family.set_running(session, false);
        self.on_descendant_ended(session, effects);
        self.family.remove(session);
        self.calls.forget(session);
        self.sessions.remove(session);
    }

    /// Tells the root of a subagent that ended, when it was the last one.
    fn on_descendant_ended(&mut self, session: &SessionId, effects: &mut Vec<Effect>) {
        let root = self.family.root_of(session).clone();
        if root != *session && !self.family.is_descendant_running(&root) {
            self.with_known(&root, effects, Session::on_descendants_ended);
        }
    }

    fn on_wake(&mut self, effects: &mut Vec<Effect>) {
        while let Some(due) = self.next_alarm().filter(|due| *due <= self.now) {
            let Some(Reverse((_, session))) = self.alarms.pop() else { break };
            self.with_known(&session, effects, Session::on_wake);
            // One that does not move on in spite of its alarm is not asked again: it would hang us.
            if self.sessions.get(&session).and_then(|known| known.wake_at()) == Some(due) {
                break;
            }
        }
    }

    /// When the next session wants to be woken.
    fn next_alarm(&mut self) -> Option<Millis> {
        loop {
            let Reverse((due, session)) = self.alarms.peek()?;
            if self.sessions.get(session).and_then(|known| known.wake_at()) == Some(*due) {
                return Some(*due);
            }
            self.alarms.pop();
        }
    }

    /// Takes what a snapshot says beyond its session. A session that turns out to be a subagent's is none of ours; one that was
    /// deleted meanwhile stays forgotten.
    fn learn(&mut self, session: &SessionId, snapshot: &Snapshot) {
        if let Some(agents) = &snapshot.agents {
            self.agents.clone_from(agents);
        }
        if let Some(parent) = snapshot.info.as_ref().and_then(|info| info.parent.clone())
            && self.sessions.get(session).is_some()
        {
            self.on_subagent(session.clone(), parent);
        }
    }

    /// Lets a root session act, made known if it was not. Subagents' sessions are left alone.
    fn with(&mut self, session: &SessionId, effects: &mut Vec<Effect>, act: impl FnOnce(&mut Session, &mut Cx<'_>)) {
        if self.make_known(session) {
            self.with_known(session, effects, act);
        }
    }

    /// Whether a session is a root one, which is then known.
    fn make_known(&mut self, session: &SessionId) -> bool {
        let is_root = !self.family.is_subagent(session);
        if is_root && self.sessions.get(session).is_none() {
            self.sessions.insert(session.clone(), Box::new(Session::new()));
        }
        is_root
    }

    /// Lets a session act if it is known.
    fn with_known(
        &mut self,
        session: &SessionId,
        effects: &mut Vec<Effect>,
        act: impl FnOnce(&mut Session, &mut Cx<'_>),
    ) {
        let mut act = Some(act);
        self.let_act(session, effects, &mut |known, cx| {
            if let Some(act) = act.take() {
                act(known, cx);
            }
        });
    }

    /// Lets a session act if it is known, and keeps its alarm in step. Not generic: it would be in the module ten times.
    fn let_act(
        &mut self,
        session: &SessionId,
        effects: &mut Vec<Effect>,
        act: &mut dyn FnMut(&mut Session, &mut Cx<'_>),
    ) {
        let Some(known) = self.sessions.get_mut(session) else {
            return;
        };
        known.heard_at = self.now;
        let before = known.wake_at();
        let (now, options, family, agents) = (self.now, &self.options, &self.family, &self.agents);
        act(known, &mut Cx { now, session, options, family, agents, requests: &mut self.requests, effects });
        let after = known.wake_at();
        if let Some(due) = after
            && before != after
        {
            self.alarms.push(Reverse((due, session.clone())));
        }
    }

    /// Tells nobody what is wrong with the options.
    pub fn forget_diagnostics(&mut self) {
        self.diagnostics.clear();
    }

    /// Tells the person once what is wrong with the options: with the first message, when somebody is there to read it.
    fn report_options(&mut self, effects: &mut Vec<Effect>) {
        let diagnostics = std::mem::take(&mut self.diagnostics);
        if diagnostics.is_empty() || !self.options.use_toasts {
            return;
        }
        let mut message = String::new();
        for diagnostic in diagnostics.iter().take(MAX_TOAST_LINES) {
            // Writing to a string cannot fail.
            let _ = writeln!(message, "{diagnostic}");
        }
        if diagnostics.len() > MAX_TOAST_LINES {
            let _ = writeln!(message, "… and {} more", diagnostics.len() - MAX_TOAST_LINES);
        }
        message.push_str("npx opencode-todo-keeper doctor tells what to do.");
        let title = "Todo reminders: options to correct".to_owned();
        effects.push(Effect::Toast { variant: ToastVariant::Warning, title, message });
    }
}
