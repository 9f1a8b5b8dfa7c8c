//! Todos as opencode stores them.

use serde::Serialize;

/// One todo of a session. opencode gives todos no id: two of the same wording are two todos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Todo {
    /// The task in the model's words: any string, any length, untrusted.
    pub content: String,
    /// `pending`, `in_progress`, `completed`, `cancelled`, or any other string that the model chose.
    pub status: String,
    /// `high`, `medium`, `low`, or any other string; empty when the host gave none.
    pub priority: String,
}

/// How far a todo has come. Progress goes upwards only (R6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Not begun: `pending`, and every status that opencode does not know.
    Pending,
    /// Under way: `in_progress`.
    InProgress,
    /// Done with: `completed` or `cancelled`.
    Finished,
}

impl Stage {
    /// The stage that a status stands for.
    #[must_use]
    pub fn of(status: &str) -> Self {
        match status {
            "completed" | "cancelled" => Self::Finished,
            "in_progress" => Self::InProgress,
            _ => Self::Pending,
        }
    }
}

impl Todo {
    /// How far this todo has come.
    #[must_use]
    pub fn stage(&self) -> Stage {
        Stage::of(&self.status)
    }
}
