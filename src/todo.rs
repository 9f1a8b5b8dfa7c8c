//! Todos as opencode stores them.

use serde::{Deserialize, Serialize};

/// One todo of a session. opencode gives todos no id: two of the same wording are two todos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// The task in the model's words: any string, any length, untrusted.
    pub content: String,
    /// `pending`, `in_progress`, `completed`, `cancelled`, or any other string that the model chose.
    pub status: String,
    /// `high`, `medium`, `low`, or any other string; empty when the host gave none.
    #[serde(default)]
    pub priority: String,
}
