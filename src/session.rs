//! One root session: its state, and every transition of it.

mod decision;
mod request;
mod running;
mod scan;
mod state;
pub(crate) mod switch;

use crate::budget::Budget;
use crate::effect::{Effect, Level, ToastVariant};
use crate::family::Family;
use crate::id::{MessageId, RequestId, RequestIds, SessionId};
use crate::input::{Agent, AssistantMessage, Failure, Identity, Rule, SessionInfo, Snapshot, UserMessage};
use crate::options::Options;
use crate::policy::{PauseReason, Silence};
use crate::time::Millis;
use crate::todo::Todo;
use request::Requests;
use running::InTurn;
use scan::Scan;
use state::{Notice, State};
use switch::{Cost, Pending, Switch};

/// How long the host may take to answer a fetch, in milliseconds.
const FETCH_TIMEOUT: u64 = 10_000;

/// How long the host may take to accept a prompt, in milliseconds.
const PROMPT_TIMEOUT: u64 = 60_000;

/// How long the reminder waits for the host's answer about other sessions, in milliseconds: the shim has 2,000.
const SCAN_TIMEOUT: u64 = 2_500;

/// The milliseconds before a failed fetch is tried again, attempt by attempt.
const RETRY_DELAYS: [u64; 2] = [1_000, 5_000];

/// How many messages are looked at first when a session is taken up after a restart, and at most.
const HISTORY: (u32, u32) = (100, 3_200);

/// What a transition may use and where its effects go.
pub(crate) struct Cx<'a> {
    /// The moment of the input.
    pub(crate) now: Millis,
    /// The session's id.
    pub(crate) session: &'a SessionId,
    /// The options.
    pub(crate) options: &'a Options,
    /// Who runs.
    pub(crate) family: &'a Family,
    /// The agents of the project, once they are known.
    pub(crate) agents: &'a [Agent],
    /// Numbers for requests.
    pub(crate) requests: &'a mut RequestIds,
    /// Where effects go.
    pub(crate) effects: &'a mut Vec<Effect>,
}

impl Cx<'_> {
    fn log(&mut self, level: Level, message: String) {
        let to_file = self.options.debug;
        self.effects.push(Effect::Log { level, message, session: Some(self.session.clone()), to_file });
    }

    fn toast(&mut self, title: &str, message: String) {
        if self.options.use_toasts {
            let title = title.to_owned();
            self.effects.push(Effect::Toast { variant: ToastVariant::Warning, title, message });
        }
    }
}

/// The last real user message.
#[derive(Debug)]
struct Person {
    message: MessageId,
    identity: Identity,
}

/// A session that the plugin keeps on its list.
#[derive(Debug)]
pub(crate) struct Session {
    person: Option<Person>,
    todos: Option<Vec<Todo>>,
    budget: Budget,
    asks: Vec<String>,
    last_answer: Option<AssistantMessage>,
    /// What the host last said of the session that does not pass with a turn.
    info: SessionInfo,
    requests: Requests,
    in_turn: InTurn,
    /// Whether other sessions are still to be looked at (R10).
    scan: Scan,
    /// Whether the person switched the reminders off, and the commands that are not answered yet (R16).
    switch: Switch,
    /// The latest request when the switch was stored: what was asked until then may tell of the time before.
    switched_at: Option<RequestId>,
    pending: Vec<Pending>,
    cost: Cost,
    /// When something was last heard of it.
    pub(crate) heard_at: Millis,
    state: State,
}

impl Session {
    /// A session of which nothing is known yet.
    pub(crate) fn new() -> Self {
        Self {
            person: None,
            todos: None,
            budget: Budget::default(),
            asks: Vec::new(),
            last_answer: None,
            info: SessionInfo::default(),
            requests: Requests::default(),
            in_turn: InTurn::Open,
            scan: Scan::default(),
            switch: Switch::default(),
            switched_at: None,
            pending: Vec::new(),
            cost: Cost::default(),
            heard_at: Millis::default(),
            state: State::Busy,
        }
    }

    /// When this session wants to be woken.
    pub(crate) fn wake_at(&self) -> Option<Millis> {
        match &self.state {
            State::Waiting { due, .. } => Some(*due),
            State::Fetching { give_up_at, .. }
            | State::Scanning { give_up_at, .. }
            | State::Prompting { give_up_at, .. } => Some(*give_up_at),
            State::Busy | State::Retrying | State::Quiet(_) | State::Paused { .. } | State::Exhausted => None,
        }
    }

    /// A turn runs.
    pub(crate) fn on_busy(&mut self, cx: &mut Cx<'_>, is_retry: bool) {
        self.keep_answers_out();
        match &self.state {
            State::Paused { .. } | State::Exhausted => {}
            State::Busy
            | State::Retrying
            | State::Quiet(_)
            | State::Waiting { .. }
            | State::Fetching { .. }
            | State::Scanning { .. }
            | State::Prompting { .. } => {
                let next = if is_retry { State::Retrying } else { State::Busy };
                self.transition_to(next, "a turn is running", cx);
            }
        }
    }

    /// A turn ended. What comes after the first idle of a turn changes nothing (R1).
    pub(crate) fn on_idle(&mut self, cx: &mut Cx<'_>) {
        self.take_back(cx);
        match &self.state {
            // An abort while the host waits to try again leaves neither an error nor a finish: only this order of events.
            State::Retrying => self.pause(PauseReason::Aborted, None, cx),
            State::Busy => match self.last_answer.as_ref().and_then(PauseReason::of_ending) {
                Some(reason) => self.pause(reason, None, cx),
                None => self.wait_for_reminder("the turn ended", cx),
            },
            State::Paused { notice: Notice::Due, .. } => self.ask_for_notice(cx),
            State::Quiet(silence) if silence.is_passing() => {
                self.wait_for_reminder("what was in the way may be over", cx);
            }
            State::Quiet(_)
            | State::Waiting { .. }
            | State::Fetching { .. }
            | State::Scanning { .. }
            | State::Prompting { .. }
            | State::Paused { notice: Notice::Asked(_) | Notice::Settled, .. }
            | State::Exhausted => {}
        }
    }

    /// The last subagent of this session ended.
    pub(crate) fn on_descendants_ended(&mut self, cx: &mut Cx<'_>) {
        if matches!(self.state, State::Quiet(Silence::DescendantActive)) {
            self.wait_for_reminder("the last subagent ended", cx);
        }
    }

    /// Somebody wrote. A person's message cancels what was pending and begins a new series; the plugin's own and other
    /// machines' messages change nothing.
    pub(crate) fn on_user_message(&mut self, message: UserMessage, cx: &mut Cx<'_>) {
        if !message.is_real() {
            self.on_own_message(message);
            return;
        }
        self.keep_answers_out();
        self.budget = Budget::renewed(self.todos.as_deref().unwrap_or_default());
        self.asks.clear();
        self.last_answer = None;
        self.requests.ended();
        if self.switch == Switch::Resumed {
            self.switch = Switch::On;
        }
        let (id, identity) = (message.id, message.identity);
        if let Some(tools) =
            identity.as_ref().and_then(|identity| identity.tools.as_ref()).filter(|tools| !tools.is_empty())
        {
            self.info.rules = tools.iter().map(|(tool, is_allowed)| Rule::of_tool(tool, *is_allowed)).collect();
        }
        self.person = identity.map(|identity| Person { message: id, identity });
        self.went_on();
        self.transition_to(State::Busy, "the person spoke", cx);
        self.prepare(cx);
    }

    /// A step of the agent ended, well or with an error.
    pub(crate) fn on_assistant_message(&mut self, message: AssistantMessage, cx: &mut Cx<'_>) {
        let spoken = self.person.as_ref().map(|person| &person.message);
        let is_older = spoken.is_some_and(|spoken| message.id < *spoken);
        if let Some(error) = &message.error {
            let reason = PauseReason::of(error.clone());
            // The late report of an error that the person has answered already. An abort is another thing: a message that
            // was queued before Esc is older than Esc.
            if !is_older || reason == PauseReason::Aborted {
                self.pause(reason, Some(message.id), cx);
            }
            return;
        }
        if is_older {
            return;
        }
        if let State::Paused { by: Some(by), .. } = &self.state
            && spoken.is_some_and(|spoken| by < spoken)
        {
            self.transition_to(State::Busy, "the agent answers what the person said before it stopped", cx);
        }
        self.went_on_to(&message.id);
        self.last_answer = Some(message);
    }

    /// The session failed.
    pub(crate) fn on_failed(&mut self, failure: Failure, cx: &mut Cx<'_>) {
        self.pause(PauseReason::of(failure), None, cx);
    }

    /// The list changed.
    pub(crate) fn on_todos(&mut self, todos: Vec<Todo>) {
        self.budget.observe(&todos);
        self.cost.observe(self.todos.as_deref().unwrap_or_default(), &todos);
        self.todos = Some(todos);
    }

    /// The list as last heard of.
    pub(crate) fn todos(&self) -> Option<&[Todo]> {
        self.todos.as_deref()
    }

    /// The person has to decide something.
    pub(crate) fn on_asked(&mut self, ask: String) {
        self.asks.push(ask);
    }

    /// The person decided it.
    pub(crate) fn on_answered(&mut self, ask: &str) {
        self.asks.retain(|open| open != ask);
    }

    /// The host answered a fetch.
    pub(crate) fn on_fetched(&mut self, request: RequestId, snapshot: &Snapshot, cx: &mut Cx<'_>) {
        if let Some(info) = &snapshot.info {
            self.info = SessionInfo { is_reverted: false, is_compacting: false, ..info.clone() };
            if Some(request) > self.switched_at {
                self.learn_of_switch(info.is_paused);
            }
        }
        if let (None, Some(todos)) = (&self.todos, &snapshot.todos) {
            if !self.budget.has_begun() {
                // Nobody has changed it since the person spoke: that would have been heard.
                self.budget = Budget::renewed(todos);
            }
            self.on_todos(todos.clone());
        }
        self.on_command_fetched(request, snapshot, cx);
        match &self.state {
            State::Fetching { request: expected, attempt, history, .. } if *expected == request => {
                let (attempt, history) = (*attempt, *history);
                self.decide(snapshot, attempt, history, cx);
            }
            State::Paused { notice: Notice::Asked(expected), .. } if *expected == request => {
                self.give_notice(snapshot, cx);
            }
            State::Fetching { .. }
            | State::Scanning { .. }
            | State::Paused { .. }
            | State::Busy
            | State::Retrying
            | State::Quiet(_)
            | State::Waiting { .. }
            | State::Prompting { .. }
            | State::Exhausted => {}
        }
    }

    /// The host took the prompt, or did not. What the turn brings comes by events.
    pub(crate) fn on_prompted(&mut self, request: RequestId, error: Option<Failure>, cx: &mut Cx<'_>) {
        if self.stored().is_some_and(|stored| stored.is_of(request)) {
            self.on_stored(error, cx);
            return;
        }
        if !matches!(&self.state, State::Prompting { request: expected, .. } if *expected == request) {
            return;
        }
        match error {
            Some(error) => self.pause(PauseReason::of(error), None, cx),
            None => self.transition_to(State::Busy, "the host took the reminder", cx),
        }
    }

    /// The alarm rang, perhaps for another session or too early.
    pub(crate) fn on_wake(&mut self, cx: &mut Cx<'_>) {
        match &self.state {
            State::Waiting { due, attempt } if *due <= cx.now => {
                let history = self.history_wanted(cx);
                self.fetch(*attempt, history, cx);
            }
            State::Fetching { give_up_at, attempt, .. } if *give_up_at <= cx.now => {
                self.try_again(*attempt, "the host did not answer in time", cx);
            }
            State::Scanning { give_up_at, .. } if *give_up_at <= cx.now => self.remind_beside(None, cx),
            State::Prompting { give_up_at, .. } if *give_up_at <= cx.now => {
                self.transition_to_quiet(Silence::NotTaken, cx);
            }
            State::Waiting { .. }
            | State::Fetching { .. }
            | State::Scanning { .. }
            | State::Prompting { .. }
            | State::Busy
            | State::Retrying
            | State::Quiet(_)
            | State::Paused { .. }
            | State::Exhausted => {}
        }
    }
}
