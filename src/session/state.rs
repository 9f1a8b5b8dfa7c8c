//! The states of a session, and the only place that assigns one.

use super::{Cx, FETCH_TIMEOUT, PROMPT_TIMEOUT, Session};
use crate::effect::{Effect, Level};
use crate::id::{MessageId, RequestId};
use crate::policy::{PauseReason, Silence};
use crate::time::Millis;

/// Where a session stands.
#[derive(Debug)]
pub(super) enum State {
    /// A turn runs, or is about to, or nothing is known yet.
    Busy,
    /// A turn runs, and the host waits to ask the provider again.
    Retrying,
    /// Idle, and nothing is to be done until something happens.
    Quiet(Silence),
    /// Idle with a reminder in view.
    Waiting {
        /// When to go on.
        due: Millis,
        /// How many fetches failed before, from 0.
        attempt: usize,
    },
    /// Idle, and the host was asked for the todos.
    Fetching {
        /// The request.
        request: RequestId,
        /// When to stop waiting for the answer.
        give_up_at: Millis,
        /// How many fetches failed before, from 0.
        attempt: usize,
        /// How many messages were asked for.
        history: u32,
    },
    /// Idle with a reminder in order, and the host was asked for other sessions' todos (R10).
    Scanning {
        /// The request.
        request: RequestId,
        /// When to stop waiting for the answer.
        give_up_at: Millis,
    },
    /// A reminder was handed to the host.
    Prompting {
        /// The request.
        request: RequestId,
        /// When to stop waiting for the answer.
        give_up_at: Millis,
    },
    /// Stopped by an error or the person, until the person speaks (R4).
    Paused {
        /// The message whose error it was, when it was a message's.
        by: Option<MessageId>,
        /// Why.
        reason: PauseReason,
        /// Whether the person was told.
        notice: Notice,
    },
    /// The budget is used up, until the person speaks (R6).
    Exhausted,
}

/// How far the one toast of a pause is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// It is not known whether the pause matters to the person; ask when the session is idle.
    Due,
    /// The host was asked.
    Asked(RequestId),
    /// The person was told, or need not be.
    Settled,
}

impl Session {
    /// Goes on after `delay` milliseconds.
    pub(super) fn transition_to_waiting(&mut self, delay: u64, attempt: usize, why: &str, cx: &mut Cx<'_>) {
        let due = cx.now.after(delay);
        self.transition_to(State::Waiting { due, attempt }, why, cx);
    }

    /// Asks the host for the todos and all that speaks against a reminder.
    pub(super) fn fetch(&mut self, attempt: usize, history: u32, cx: &mut Cx<'_>) {
        let request = cx.requests.next();
        let give_up_at = cx.now.after(FETCH_TIMEOUT);
        self.transition_to(State::Fetching { request, give_up_at, attempt, history }, "the delay is over", cx);
        cx.effects.push(Effect::Fetch { request, session: cx.session.clone(), history });
    }

    /// The reminder is on its way.
    pub(super) fn transition_to_prompting(&mut self, why: &str, cx: &mut Cx<'_>) -> RequestId {
        let request = cx.requests.next();
        let give_up_at = cx.now.after(PROMPT_TIMEOUT);
        self.transition_to(State::Prompting { request, give_up_at }, why, cx);
        request
    }

    /// No reminder, for this reason.
    pub(super) fn transition_to_quiet(&mut self, silence: Silence, cx: &mut Cx<'_>) {
        self.transition_to(State::Quiet(silence), &format!("no reminder: {silence}"), cx);
    }

    /// Assigns the state and says why in the log.
    pub(super) fn transition_to(&mut self, next: State, why: &str, cx: &mut Cx<'_>) {
        let (from, to) = (self.state.name(), next.name());
        let level = if matches!(next, State::Paused { .. } | State::Exhausted) { Level::Warn } else { Level::Debug };
        if from != to || level == Level::Warn {
            cx.log(level, format!("{from} -> {to}: {why}"));
        }
        self.state = next;
    }
}

impl State {
    /// What the log calls it.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Retrying => "retrying",
            Self::Quiet(_) => "quiet",
            Self::Waiting { .. } => "waiting",
            Self::Fetching { .. } => "fetching",
            Self::Scanning { .. } => "scanning",
            Self::Prompting { .. } => "prompting",
            Self::Paused { .. } => "paused",
            Self::Exhausted => "exhausted",
        }
    }
}
