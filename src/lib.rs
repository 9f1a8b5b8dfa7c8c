//! The core of opencode-todo-keeper: decides when an agent is reminded of its todo list.

pub mod id;
pub mod options;
pub mod text;
pub mod time;
pub mod todo;
pub mod wording;
