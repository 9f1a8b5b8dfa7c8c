//! A core, and a host that remembers what it was asked.

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
}

impl World {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let Bounds { without_progress, per_message, idle_delay, in_turn } = bounds;
        let text = format!(
            r#"{{"maxAutoSubmitsPerTodo": {without_progress}, "maxRemindersPerMessage": {per_message},
            "idleDelayMs": {idle_delay}, "continueInRun": {in_turn}, "</x>": "\u202e"}}"#
        );
        let source = Source { file: "opencode.json".to_owned(), text: Some(text), error: None };
        let (plugin, _) = Plugin::new(&[source]);
        Self { plugin, now: 0, alarm: None, fetches: Vec::new(), prompts: Vec::new() }
    }

    pub(crate) fn remembered(&self) -> usize {
        self.plugin.remembered()
    }

    /// The latest open question about `session`.
    pub(crate) fn open_fetch(&self, session: &SessionId) -> Option<RequestId> {
        self.fetches.iter().rfind(|(_, about)| about == session).map(|(request, _)| *request)
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
            let told = if let Act::Alarm = act { self.alarm.map_or(self.now, |at| at.0) } else { self.now + ahead };
            let told = told.saturating_sub(*back);
            self.now = self.now.max(told);
            let alarm_before = self.alarm;
            let step = self.plugin.handle(input.clone(), Millis(told));
            self.note(&step);
            check(&Moment { input: &input, step: &step, now: self.now, alarm_before, is_expected })?;
        }
        Ok(())
    }

    fn input(&self, act: &Act) -> Option<Input> {
        match act {
            Act::Happen(input) => Some(input.clone()),
            Act::Alarm => Some(Input::Wake),
            Act::Answer(which, snapshot) => {
                let (request, session) = chosen(&self.fetches, *which)?;
                Some(Input::Fetched { request, session, snapshot: snapshot.clone() })
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
                Effect::Unsend { .. } | Effect::Toast { .. } | Effect::Log { .. } => {}
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
        Effect::Fetch { .. } | Effect::Unsend { .. } | Effect::Toast { .. } | Effect::Log { .. } => None,
    };
    step.effects.iter().filter_map(sent).collect()
}

/// The sessions whose last reminder is taken back.
pub(crate) fn taken_back<'a>(step: &'a Step) -> Vec<&'a SessionId> {
    let session = |effect: &'a Effect| if let Effect::Unsend { session, .. } = effect { Some(session) } else { None };
    step.effects.iter().filter_map(session).collect()
}
