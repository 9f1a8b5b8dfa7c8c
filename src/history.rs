//! What a session's messages tell after a restart: who spoke, what was spent, whether the person stopped it.

use crate::budget::Budget;
use crate::input::{Message, UserMessage};
use crate::policy::PauseReason;

/// What was found in the messages since the last real user message.
#[derive(Debug)]
pub(crate) struct Found {
    /// The last real user message.
    pub(crate) person: UserMessage,
    /// What its budget has left.
    pub(crate) budget: Budget,
    /// Why the session is paused, if it is.
    pub(crate) pause: Option<PauseReason>,
}

/// Looks for the last real user message among `messages` (oldest first) and replays what came after it. `None` when there is
/// none.
pub(crate) fn replay(messages: &[Message]) -> Option<Found> {
    let is_person = |message: &Message| matches!(message, Message::User(user) if user.is_real());
    let at = messages.iter().rposition(is_person)?;
    let (before, since) = messages.split_at_checked(at)?;
    let (Message::User(person), since) = since.split_first()? else {
        return None;
    };
    let known = before.iter().rev().find_map(last_list);
    let mut budget = Budget::renewed(known.unwrap_or_default());
    let mut pause = None;
    let mut counted = 0;
    for (index, message) in since.iter().enumerate() {
        match message {
            // After a context overflow opencode writes the last message again, mark and all: the number tells the copy.
            Message::User(user) => {
                if let Some(mark) = user.mark.filter(|mark| mark.reminder > counted) {
                    counted = mark.reminder;
                    budget.recount_reminder(counted);
                }
            }
            Message::Assistant(assistant) => {
                for todos in &assistant.todos {
                    budget.observe(todos);
                }
                let is_end = assistant.error.is_some() || ends_turn(since.get(index + 1));
                pause = pause.or_else(|| PauseReason::of_ending(assistant).filter(|_| is_end));
            }
        }
    }
    Some(Found { person: person.clone(), budget, pause })
}

/// Whether a turn ended where `next` follows. Compaction interrupts a turn that goes on afterwards.
fn ends_turn(next: Option<&Message>) -> bool {
    match next {
        None => true,
        Some(Message::User(user)) => !user.is_compaction,
        Some(Message::Assistant(_)) => false,
    }
}

/// The last list that this message wrote.
fn last_list(message: &Message) -> Option<&[crate::todo::Todo]> {
    match message {
        Message::User(_) => None,
        Message::Assistant(assistant) => assistant.todos.last().map(Vec::as_slice),
    }
}
