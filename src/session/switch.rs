//! The person's switch (R16): what `/todo-keeper` does and answers. A pause is stored with the session, so it outlives restarts.

use std::fmt::Write as _;

use super::state::State;
use super::{Cx, Session};
use crate::budget::Budget;
use crate::effect::{Effect, ToastVariant};
use crate::id::RequestId;
use crate::input::{Failure, Snapshot};
use crate::policy::{self, Silence};
use crate::text;
use crate::todo::{Stage, Todo};
use crate::wording;

/// How many commands may wait for the host at a time.
const MAX_PENDING: usize = 8;

/// What is answered to a word that is no command.
const USAGE: &str = "Expected /todo-keeper (status), /todo-keeper pause, /todo-keeper resume or /todo-keeper orphans";
const PAUSED: &str =
    "Todo reminders are paused in this session. /todo-keeper resume ends the pause; todos are guarded meanwhile.";
const RESUMED: &str = "Todo reminders go on in this session.";

/// Whether the person switched the reminders of a session off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Switch {
    /// The host has not told yet.
    #[default]
    Unknown,
    /// They are on.
    On,
    /// They are off.
    Off,
    /// They are on by the person's word, which also ends what paused the session before.
    Resumed,
}

/// What a person can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Status,
    Pause,
    Resume,
    Orphans,
}

/// A command that is not answered yet.
#[derive(Debug)]
pub(super) struct Pending {
    request: RequestId,
    command: Command,
    /// Whether a turn runs, which a message that is stored meanwhile would prolong; or messages are undone, which it would delete.
    is_active: bool,
    /// Whether the session was paused after the command: that pause is not the one that it may end.
    is_overtaken: bool,
}

impl Pending {
    fn is_about_switch(&self) -> bool {
        matches!(self.command, Command::Pause | Command::Resume)
    }
}

/// What the plugin cost, and what came of it, since it was loaded.
#[derive(Debug, Default)]
pub(super) struct Cost {
    /// Reminders sent.
    pub(super) reminders: u32,
    /// Nudges added.
    pub(super) nudges: u32,
    /// Todos that were finished after the first of them.
    finished: usize,
}

impl Cost {
    /// The list changed.
    pub(super) fn observe(&mut self, before: &[Todo], after: &[Todo]) {
        let finished = |todos: &[Todo]| todos.iter().filter(|todo| todo.stage() == Stage::Finished).count();
        if self.reminders + self.nudges > 0 {
            self.finished += finished(after).saturating_sub(finished(before));
        }
    }
}

impl Session {
    /// The person gave a command. The host is asked first: what is answered must be true now.
    pub(crate) fn on_command(&mut self, arguments: &str, cx: &mut Cx<'_>) {
        let word = arguments.trim();
        let command = match word.to_ascii_lowercase().as_str() {
            "" | "status" => Command::Status,
            "pause" => Command::Pause,
            "resume" => Command::Resume,
            "orphans" => Command::Orphans,
            _ => return say(format!("{USAGE}, found \"{}\".", text::one_line(word)), cx),
        };
        if self.pending.len() >= MAX_PENDING {
            return say("opencode has not answered the commands before this one.".to_owned(), cx);
        }
        if command == Command::Pause {
            self.switch = Switch::Off;
            if let State::Waiting { .. } | State::Fetching { .. } | State::Scanning { .. } = &self.state {
                self.transition_to_quiet(Silence::SwitchedOff, cx);
            }
        }
        let request = cx.requests.next();
        self.pending.push(Pending { request, command, is_active: true, is_overtaken: false });
        let history = self.history_wanted(cx);
        cx.effects.push(Effect::Fetch { request, session: cx.session.clone(), history });
    }

    /// Learns from the host whether the reminders are off, unless that is about to change.
    pub(super) fn learn_of_switch(&mut self, is_off: bool) {
        self.switch = match self.switch {
            switch if self.pending.iter().any(Pending::is_about_switch) => switch,
            _ if is_off => Switch::Off,
            Switch::Resumed => Switch::Resumed,
            Switch::Unknown | Switch::On | Switch::Off => Switch::On,
        };
    }

    /// The host answered what a command asked it.
    pub(super) fn on_command_fetched(&mut self, request: RequestId, snapshot: &Snapshot, cx: &mut Cx<'_>) {
        let Some(mut pending) = self.take_pending(request) else { return };
        if let (None, Some(found)) = (&self.person, &snapshot.history) {
            self.take_up_or_pause(found, cx);
        }
        let is_reverted = snapshot.info.as_ref().is_none_or(|info| info.is_reverted);
        pending.is_active = is_reverted || snapshot.active.as_ref().is_none_or(|active| active.contains(cx.session));
        let session = cx.session.clone();
        let effect = match pending.command {
            Command::Status => {
                let text = self.status(snapshot, cx);
                return self.answer(text, pending.is_active, cx);
            }
            Command::Orphans => Effect::Scan { request, session, is_report: true },
            Command::Pause => Effect::Remember { request, session, is_paused: true },
            Command::Resume => Effect::Remember { request, session, is_paused: false },
        };
        self.pending.push(pending);
        cx.effects.push(effect);
    }

    /// The host stored a pause or its end, or did not.
    pub(crate) fn on_remembered(&mut self, request: RequestId, error: Option<Failure>, cx: &mut Cx<'_>) {
        let Some(pending) = self.take_pending(request) else { return };
        let text = if let Some(Failure { name, message }) = error {
            if pending.command == Command::Pause {
                // The host's next answer tells what holds.
                self.switch = Switch::Unknown;
                if let State::Quiet(Silence::SwitchedOff) = &self.state {
                    self.wait_for_reminder("the pause was not stored", cx);
                }
            }
            let (name, message) = (text::one_line(&name), text::one_line(&message));
            format!("opencode did not store it with the session ({name}: {message}); nothing was changed.")
        } else {
            self.switched_at = Some(cx.requests.latest());
            if pending.command == Command::Pause {
                PAUSED.to_owned()
            } else {
                self.resume(!pending.is_overtaken, cx);
                RESUMED.to_owned()
            }
        };
        self.answer(text, pending.is_active, cx);
    }

    /// Answers the command that asked for other sessions; returns whether there was one.
    pub(super) fn on_command_scanned(&mut self, request: RequestId, report: Option<&str>, cx: &mut Cx<'_>) -> bool {
        let Some(pending) = self.take_pending(request) else { return false };
        self.answer(report.unwrap_or("It could not be found out.").to_owned(), pending.is_active, cx);
        true
    }

    fn take_pending(&mut self, request: RequestId) -> Option<Pending> {
        let at = self.pending.iter().position(|pending| pending.request == request)?;
        Some(self.pending.swap_remove(at))
    }

    /// Whether a command is not answered yet.
    pub(crate) fn is_asked(&self) -> bool {
        !self.pending.is_empty()
    }

    /// A turn begins: what is answered from now on must not be stored.
    pub(super) fn keep_answers_out(&mut self) {
        for pending in &mut self.pending {
            pending.is_active = true;
        }
    }

    /// The session is paused: what the person wanted before has nothing to do with it.
    pub(super) fn overtake_commands(&mut self) {
        for pending in &mut self.pending {
            pending.is_overtaken = true;
        }
    }

    /// The person wants to be reminded again, whatever ended it; at once, unless something ended it since.
    fn resume(&mut self, is_latest: bool, cx: &mut Cx<'_>) {
        self.switch = Switch::Resumed;
        self.budget = Budget::renewed(self.todos.as_deref().unwrap_or_default());
        if !is_latest {
            return;
        }
        self.last_answer = None;
        if let State::Quiet(_) | State::Paused { .. } | State::Exhausted = &self.state {
            self.wait_for_reminder("the person resumed", cx);
        }
    }

    /// Answers where the person reads it: in the session, or, where that would make the model work or nobody is known to answer
    /// to, in a toast.
    fn answer(&self, text: String, is_active: bool, cx: &mut Cx<'_>) {
        match &self.person {
            Some(person) if !is_active => {
                let (session, identity) = (cx.session.clone(), person.identity.clone());
                cx.effects.push(Effect::Answer { session, text, identity });
            }
            _ => say(text, cx),
        }
    }

    /// What there is to know of a session (R16).
    fn status(&self, snapshot: &Snapshot, cx: &Cx<'_>) -> String {
        let options = cx.options;
        let todos = snapshot.todos.as_deref().or(self.todos.as_deref()).unwrap_or_default();
        let unfinished = policy::unfinished(options, todos);
        let mut status = format!("Todos: {}, {unfinished} unfinished", todos.len());
        if let Some(current) = wording::current(options, todos) {
            status.push_str("; under way: ");
            status.push_str(&text::one_line(&current.content));
        }
        let (sent, without_progress) = self.budget.spent();
        let Cost { reminders, nudges, finished } = self.cost;
        let why = self.why_silent(snapshot, cx);
        let is_on = |is_on: bool| if is_on { "on" } else { "off" };
        let [remind, nudge, guard, orphans] = [
            options.sends_reminders(),
            options.nudge.enabled,
            options.preserve_unfinished_todos,
            options.warn_orphaned_todos,
        ]
        .map(is_on);
        let (most_in_a_row, most) = (options.max_auto_submits_per_todo, options.max_reminders_per_message);
        let (in_a_row_left, left) = (most_in_a_row.saturating_sub(without_progress), most.saturating_sub(sent));
        // Writing to a string cannot fail.
        let _ = write!(
            status,
            "\nReminders {remind}, nudges {nudge}, guard {guard}, other sessions' todos {orphans}\n\
             Reminders since your last message: {sent} sent; at most {left} more, and at most {in_a_row_left} more without progress\n\
             {why}\n\
             Cost since opencode started: reminders {reminders}, nudges {nudges}; todos finished after them {finished}"
        );
        status
    }

    /// Why no reminder comes, or when one does.
    fn why_silent(&self, snapshot: &Snapshot, cx: &Cx<'_>) -> String {
        let silence = policy::silence(&self.facts(snapshot, cx));
        let why = match (&self.state, silence) {
            (_, Some(Silence::SwitchedOff)) => "paused; /todo-keeper resume ends it".to_owned(),
            (State::Paused { reason, .. }, _) => format!("{reason}; your next message or /todo-keeper resume ends it"),
            (_, Some(silence)) => silence.to_string(),
            (_, None) => match policy::exhausted(&self.budget, cx.options) {
                Some(why) => format!("{why}; your next message or /todo-keeper resume ends it"),
                None => return "Not silent: a reminder comes when the agent stops early".to_owned(),
            },
        };
        format!("Silent now: {why}")
    }
}

fn say(message: String, cx: &mut Cx<'_>) {
    cx.effects.push(said(message));
}

/// An answer in a toast, also where toasts are switched off: this one was asked for.
pub(crate) fn said(message: String) -> Effect {
    Effect::Toast { variant: ToastVariant::Info, title: "Todo keeper".to_owned(), message }
}
