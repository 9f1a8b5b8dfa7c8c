//! What goes out: the things that the shim does for the core.

use serde::Serialize;

use crate::id::{MessageId, RequestId, SessionId};
use crate::input::{Identity, Mark};
use crate::time::Millis;

/// The answer to an input.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What to do, in this order.
    pub effects: Vec<Effect>,
    /// When to send [`Input::Wake`](crate::input::Input::Wake), or `None` when nothing waits. Replaces the earlier alarm.
    pub wake_at: Option<Millis>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Effect {
    /// Ask the host about a session; answered by [`Input::Fetched`](crate::input::Input::Fetched).
    Fetch {
        /// Comes back with the answer.
        request: RequestId,
        /// The session.
        session: SessionId,
        /// How many of its last messages are wanted; 0 when none are.
        history: u32,
    },
    /// Send a message as the person, or store it for the turn that runs; answered by [`Input::Prompted`](crate::input::Input::Prompted).
    Prompt {
        /// Comes back with the answer.
        request: RequestId,
        /// The session.
        session: SessionId,
        /// What the message says.
        text: String,
        /// As whom.
        identity: Identity,
        /// Whether its part is marked synthetic.
        synthetic: bool,
        /// The mark that its part carries.
        mark: Mark,
        /// Whether no turn is to be started: the one that runs finds it.
        no_reply: bool,
    },
    /// Take back what a prompt without a turn stored, or is about to store. The host may refuse; nothing comes back.
    Unsend {
        /// The session.
        session: SessionId,
        /// The request of the prompt.
        request: RequestId,
        /// The message that it becomes, when that is known already.
        message: Option<MessageId>,
    },
    /// Look for the unfinished todos of other sessions; answered within 2 s with what was found by then, by
    /// [`Input::Scanned`](crate::input::Input::Scanned).
    Scan {
        /// Comes back with the answer.
        request: RequestId,
        /// The session that is to be reminded, or whose person asks.
        session: SessionId,
        /// Whether a person asks, who wants to read each todo.
        is_report: bool,
    },
    /// Store with the session whether its person paused it; answered by
    /// [`Input::Remembered`](crate::input::Input::Remembered).
    Remember {
        /// Comes back with the answer.
        request: RequestId,
        /// The session.
        session: SessionId,
        /// Whether it is paused.
        is_paused: bool,
    },
    /// Answer a command in the session, for the person to read and no model.
    Answer {
        /// The session.
        session: SessionId,
        /// Lines of safe text.
        text: String,
        /// As whom, so that the session stays that agent's and model's.
        identity: Identity,
    },
    /// Show a toast.
    Toast {
        /// Its colour.
        variant: ToastVariant,
        /// Its headline.
        title: String,
        /// What it says: lines of safe text.
        message: String,
    },
    /// Write a line to the host's log.
    Log {
        /// How much it matters.
        level: Level,
        /// One safe line.
        message: String,
        /// The session that it is about, if one.
        session: Option<SessionId>,
        /// Whether the line also goes to `.opencode/todo-reminder.log`.
        to_file: bool,
    },
}

/// A toast's colour, as opencode names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ToastVariant {
    /// For the person to know.
    Info,
    /// Something stopped.
    Warning,
    /// Something is broken.
    Error,
}

/// A log line's level, as opencode names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// Every decision.
    Debug,
    /// Worth knowing without asking.
    Info,
    /// Pauses and bad options.
    Warn,
    /// Something is broken.
    Error,
}
