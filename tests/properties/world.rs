//! A core, and a host that remembers what it was asked.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use todo_keeper::effect::{Effect, Step};
use todo_keeper::id::{RequestId, SessionId};
use todo_keeper::input::Input;
use todo_keeper::options::Source;
use todo_keeper::plugin::Plugin;
use todo_keeper::time::Millis;
use todo_keeper::todo::Todo;

use crate::moves::{Act, Move};

/// The options that matter here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) without_progress: u32,
    pub(crate) per_message: u32,
    pub(crate) idle_delay: u64,
    pub(crate) scans: bool,
    /// Whether reminders come inside the turn.
    pub(crate) in_turn: bool,
}

type Request = (RequestId, SessionId);

pub(crate) struct World {
    plugin: Plugin,
    now: u64,
    alarm: Option<Millis>,
    /// Requests that were not answered yet.
    fetches: Vec<Request>,
    prompts: Vec<Request>,
    scans: Vec<Request>,
    /// With what is to be stored: whether the session is paused.
    memories: Vec<(Request, bool)>,
    /// The sessions that are stored as paused.
    paused: BTreeSet<SessionId>,
}

/// One input and what came of it.
pub(crate) struct Moment<'a> {
    pub(crate) input: &'a Input,
    pub(crate) step: &'a Step,
    /// The latest time that was ever said, milliseconds.
    pub(crate) now: u64,
    pub(crate) alarm_before: Option<Millis>,
    /// Whether the input answers an open request.
    pub(crate) is_expected: bool,
    /// Whether nobody answered, but an answer came.
    pub(crate) is_made_up: bool,
}

impl World {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let Bounds { without_progress, per_message, idle_delay, scans, in_turn } = bounds;
        let text = format!(
            r#"{{"maxAutoSubmitsPerTodo": {without_progress}, "maxRemindersPerMessage": {per_message},
            "idleDelayMs": {idle_delay}, "warnOrphanedTodos": {scans}, "continueInRun": {in_turn},
            "</x>": "\u202e"}}"#
        );
        let source = Source { file: "opencode.json".to_owned(), text: Some(text), error: None };
        let (plugin, _) = Plugin::new(&[source]);
        Self {
            plugin,
            now: 0,
            alarm: None,
            fetches: Vec::new(),
            prompts: Vec::new(),
            scans: Vec::new(),
            memories: Vec::new(),
            paused: BTreeSet::new(),
        }
    }

    pub(crate) fn remembered(&self) -> usize {
        self.plugin.remembered()
    }

    /// The latest open question about `session`.
    pub(crate) fn open_fetch(&self, session: &SessionId) -> Option<RequestId> {
        self.fetches.iter().rfind(|(_, about)| about == session).map(|(request, _)| *request)
    }

    /// The latest scan for `session` that was not answered.
    pub(crate) fn open_scan(&self, session: &SessionId) -> Option<RequestId> {
        self.scans.iter().rfind(|(_, about)| about == session).map(|(request, _)| *request)
    }

    /// Plays all moves that are possible, and lets `check` look at each.
    pub(crate) fn play(
        &mut self,
        moves: &[Move],
        mut check: impl FnMut(&Moment<'_>) -> TestCaseResult,
    ) -> TestCaseResult {
        for Move { act, ahead, back } in moves {
            let Some(input) = self.input(act) else { continue };
            let is_expected = self.close(&input);
            let is_made_up = matches!(act, Act::Happen(_));
            let told = if let Act::Alarm = act { self.alarm.map_or(self.now, |at| at.0) } else { self.now + ahead };
            let told = told.saturating_sub(*back);
            self.now = self.now.max(told);
            let alarm_before = self.alarm;
            let step = self.plugin.handle(input.clone(), Millis(told));
            self.note(&step);
            check(&Moment { input: &input, step: &step, now: self.now, alarm_before, is_expected, is_made_up })?;
        }
        Ok(())
    }

    fn input(&self, act: &Act) -> Option<Input> {
        match act {
            Act::Happen(input) => Some(input.clone()),
            Act::Alarm => Some(Input::Wake),
            Act::Answer(which, snapshot) => {
                let (request, session) = chosen(&self.fetches, *which)?;
                let mut snapshot = snapshot.clone();
                if let Some(info) = &mut snapshot.info {
                    info.is_paused = self.paused.contains(&session);
                }
                Some(Input::Fetched { request, session, snapshot })
            }
            Act::Scan(which, table) => {
                let (request, session) = chosen(&self.scans, *which)?;
                Some(Input::Scanned { request, session, table: table.clone() })
            }
            Act::Remember(which, error) => {
                let open: Vec<Request> = self.memories.iter().map(|(request, _)| request.clone()).collect();
                let (request, session) = chosen(&open, *which)?;
                Some(Input::Remembered { request, session, error: error.clone() })
            }
            Act::Take(which, error) => {
                let (request, session) = chosen(&self.prompts, *which)?;
                Some(Input::Prompted { request, session, error: error.clone() })
            }
        }
    }

    /// Whether this answers an open request, which is closed then.
    fn close(&mut self, input: &Input) -> bool {
        let (open, answered) = match input {
            Input::Fetched { request, session, .. } => (&mut self.fetches, (*request, session.clone())),
            Input::Prompted { request, session, .. } => (&mut self.prompts, (*request, session.clone())),
            Input::Scanned { request, session, .. } => (&mut self.scans, (*request, session.clone())),
            Input::Remembered { request, session, error } => {
                let answered = (*request, session.clone());
                let Some(at) = self.memories.iter().position(|(request, _)| *request == answered) else { return false };
                let (_, is_paused) = self.memories.swap_remove(at);
                match (error, is_paused) {
                    (Some(_), _) => {}
                    (None, true) => drop(self.paused.insert(session.clone())),
                    (None, false) => drop(self.paused.remove(session)),
                }
                return true;
            }
            _ => return false,
        };
        let before = open.len();
        open.retain(|request| *request != answered);
        open.len() < before
    }

    fn note(&mut self, step: &Step) {
        self.alarm = step.wake_at;
        for effect in &step.effects {
            match effect {
                Effect::Fetch { request, session, .. } => self.fetches.push((*request, session.clone())),
                Effect::Prompt { request, session, .. } => self.prompts.push((*request, session.clone())),
                Effect::Scan { request, session, .. } => self.scans.push((*request, session.clone())),
                Effect::Remember { request, session, is_paused } => {
                    self.memories.push(((*request, session.clone()), *is_paused));
                }
                Effect::Unsend { .. } | Effect::Answer { .. } | Effect::Toast { .. } | Effect::Log { .. } => {}
            }
        }
    }
}

/// One of the open requests, or the latest.
fn chosen(open: &[Request], which: Option<prop::sample::Index>) -> Option<Request> {
    match which {
        Some(which) if !open.is_empty() => open.get(which.index(open.len())).cloned(),
        Some(_) | None => open.last().cloned(),
    }
}

impl Moment<'_> {
    /// The session in which a new series begins.
    pub(crate) fn person_spoke_or_session_ended(&self) -> Option<&SessionId> {
        match self.input {
            Input::Remembered { session, error: None, .. } if self.is_expected => Some(session),
            Input::UserMessage { session, message } if message.is_real() => Some(session),
            Input::SessionDeleted { session } => Some(session),
            _ => None,
        }
    }

    /// The list that this input tells, and whose.
    pub(crate) fn list(&self) -> Option<(&SessionId, &Vec<Todo>)> {
        match self.input {
            Input::TodosUpdated { session, todos } => Some((session, todos)),
            Input::Fetched { session, snapshot, .. } => Some((session, snapshot.todos.as_ref()?)),
            _ => None,
        }
    }
}

/// A reminder that was sent.
pub(crate) struct Sent<'a> {
    pub(crate) session: &'a SessionId,
    pub(crate) number: u32,
    /// Whether it was stored for the turn that runs.
    pub(crate) is_in_turn: bool,
}

pub(crate) fn prompts<'a>(step: &'a Step) -> Vec<Sent<'a>> {
    let sent = |effect: &'a Effect| match effect {
        Effect::Prompt { session, mark, no_reply, .. } => {
            Some(Sent { session, number: mark.reminder, is_in_turn: *no_reply })
        }
        Effect::Fetch { .. }
        | Effect::Scan { .. }
        | Effect::Remember { .. }
        | Effect::Answer { .. }
        | Effect::Unsend { .. }
        | Effect::Toast { .. }
        | Effect::Log { .. } => None,
    };
    step.effects.iter().filter_map(sent).collect()
}

/// The sessions whose last reminder is taken back.
pub(crate) fn taken_back<'a>(step: &'a Step) -> Vec<&'a SessionId> {
    let session = |effect: &'a Effect| if let Effect::Unsend { session, .. } = effect { Some(session) } else { None };
    step.effects.iter().filter_map(session).collect()
}
