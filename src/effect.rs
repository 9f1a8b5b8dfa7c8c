//! What goes out: the things that the shim does for the core.

use serde::{Deserialize, Serialize};

use crate::id::{MessageId, RequestId, SessionId};
use crate::input::{Identity, Mark};
use crate::time::Millis;

/// The answer to an input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What to do, in this order.
    pub effects: Vec<Effect>,
    /// When to send [`Input::Wake`](crate::input::Input::Wake), or `None` when nothing waits. Replaces the earlier alarm.
    pub wake_at: Option<Millis>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Model;

    #[test]
    fn every_effect_comes_back_as_it_was_written() {
        let session = SessionId("ses_1".to_owned());
        let model = Model { provider: "p".to_owned(), model: "m".to_owned() };
        let tools = Some(vec![("write".to_owned(), false), ("bash".to_owned(), true)]);
        let identity = Identity { agent: "build".to_owned(), model, variant: None, tools, system: None };
        let (request, mark, text) = (RequestId(7), Mark { reminder: 2 }, "go on".to_owned());
        let mut effects = vec![
            Effect::Fetch { request, session: session.clone(), history: 100 },
            Effect::Prompt { request, session: session.clone(), text, identity, synthetic: true, mark, no_reply: true },
            Effect::Unsend { session: session.clone(), request, message: None },
            Effect::Unsend { session, request, message: Some(MessageId("msg_1".to_owned())) },
        ];
        for variant in [ToastVariant::Info, ToastVariant::Warning, ToastVariant::Error] {
            effects.push(Effect::Toast { variant, title: "t".to_owned(), message: "m".to_owned() });
        }
        for level in [Level::Debug, Level::Info, Level::Warn, Level::Error] {
            effects.push(Effect::Log { level, message: "m".to_owned(), session: None, to_file: true });
        }
        for wake_at in [None, Some(Millis(1_700_000_000_000))] {
            let step = Step { effects: effects.clone(), wake_at };
            let written = serde_json::to_string(&step).unwrap_or_default();
            assert_eq!(serde_json::from_str::<Step>(&written).ok(), Some(step), "{written}");
        }
    }
}
