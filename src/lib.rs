//! The core of opencode-todo-keeper: decides when an agent is reminded of its todo list.

pub mod guard;
pub mod todo;
