//! The core of opencode-todo-keeper: decides when an agent is reminded of its todo list.
//!
//! [`plugin::Plugin`] takes one [`input::Input`] after another, with the time at which it happened, and answers each with an
//! [`effect::Step`]: what to do, and when to wake it. It has no clock, does no I/O and never fails; `js/` acts.

mod budget;
pub mod effect;
mod family;
pub mod guard;
mod history;
pub mod id;
pub mod input;
pub mod nudge;
pub mod options;
pub mod orphans;
pub mod plugin;
mod policy;
mod session;
mod sorted;
pub mod text;
pub mod time;
pub mod todo;
pub mod todowrite;
#[cfg(target_family = "wasm")]
mod wasm;
pub mod wording;
#[cfg(any(test, target_family = "wasm"))]
mod written;
