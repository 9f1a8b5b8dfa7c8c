//! Going on inside the turn that runs (R7): a reminder that is stored when the last step ends, before the turn does.
//!
//! opencode ends a turn when the last message is the answer to the last user message. A user message that is stored before it
//! looks is answered in the same turn, without an idle between, at which `opencode run` would quit. Whether it came in time
//! shows by what follows: another request, or idle.

use super::state::State;
use super::switch::Switch;
use super::{Cx, Session};
use crate::effect::{Effect, Level};
use crate::id::{MessageId, RequestId};
use crate::input::{Failure, UserMessage};
use crate::policy::{self, Facts, PauseReason, Silence};

/// How it stands with reminders inside the turn.
#[derive(Debug)]
pub(super) enum InTurn {
    /// There is none; the next end of a step may bring one.
    Open,
    /// One was handed to the host.
    Stored(Stored),
    /// The host is too slow for them: `opencode serve` takes a plugin's requests over the network. They come at idle.
    TooSlow,
}

/// A reminder that was handed to the host to be stored, until the turn goes on with it or ends.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    request: RequestId,
    /// The answer that would have been the turn's last.
    after: MessageId,
    /// The message that it becomes, once the host has named it.
    message: Option<MessageId>,
}

impl Stored {
    /// Whether the answer to `request` is about this one.
    pub(super) fn is_of(&self, request: RequestId) -> bool {
        self.request == request
    }
}

impl Session {
    /// Learns in time what a decision inside the turn needs, if it is not known: the list of a session that is resumed, and
    /// what its agent may do.
    pub(super) fn prepare(&mut self, cx: &mut Cx<'_>) {
        if cx.options.continue_in_run == Some(true) && self.is_anything_unknown(cx) {
            cx.effects.push(Effect::Fetch { request: cx.requests.next(), session: cx.session.clone(), history: 0 });
        }
    }

    fn is_anything_unknown(&self, cx: &Cx<'_>) -> bool {
        self.todos.is_none() || cx.agents.is_empty() || self.switch == Switch::Unknown
    }

    /// The model has said what it says in this step; if it stops here, the turn ends unless a reminder is stored at once.
    pub(crate) fn on_step_ended(&mut self, message: MessageId, reason: &str, has_calls: bool, cx: &mut Cx<'_>) {
        let is_summary = self.requests.step_was_summary();
        self.went_on_to(&message);
        // "other" is what the providers' own words for an end become that nobody knows.
        let is_last = matches!(reason, "stop" | "other") && !has_calls && !is_summary;
        if cx.options.continue_in_run != Some(true) || !is_last || !matches!(self.in_turn, InTurn::Open) {
            return;
        }
        // What was answered before the person spoke again is not what the turn ends on.
        let is_older = self.person.as_ref().is_some_and(|person| message < person.message);
        if is_older || !matches!(self.state, State::Busy | State::Retrying) {
            return;
        }
        let facts = Facts {
            options: cx.options,
            identity: self.person.as_ref().map(|person| &person.identity),
            is_switched_off: self.switch == Switch::Off,
            awaits_person: !self.asks.is_empty(),
            is_descendant_active: cx.family.is_descendant_running(cx.session),
            is_active: false,
            // The answer that tells of the switch tells of the session.
            info: (self.switch != Switch::Unknown).then_some(&self.info),
            todos: self.todos.as_deref(),
            agents: cx.agents,
        };
        match policy::silence(&facts) {
            Some(silence) => cx.log(Level::Debug, format!("the turn may end: {silence}")),
            None => self.remind(Some(message), cx),
        }
    }

    /// The reminder is on its way into the turn that runs.
    pub(super) fn store(&mut self, after: MessageId, why: String, cx: &mut Cx<'_>) -> RequestId {
        let request = cx.requests.next();
        cx.log(Level::Debug, why);
        self.in_turn = InTurn::Stored(Stored { request, after, message: None });
        request
    }

    /// The host has named the message that it is about to store.
    pub(super) fn on_own_message(&mut self, message: UserMessage) {
        if let InTurn::Stored(stored) = &mut self.in_turn
            && message.mark.is_some_and(|mark| mark.reminder > 0)
        {
            stored.message = Some(message.id);
        }
    }

    /// The host stored the reminder, or refused it.
    pub(super) fn on_stored(&mut self, error: Option<Failure>, cx: &mut Cx<'_>) {
        if let Some(error) = error {
            self.in_turn = InTurn::Open;
            self.budget.uncount_reminder();
            self.cost.reminders = self.cost.reminders.saturating_sub(1);
            self.pause(PauseReason::of(error), None, cx);
        }
    }

    /// The turn goes on: it has taken what was stored, or will before it ends.
    pub(super) fn went_on(&mut self) {
        if self.stored().is_some() {
            self.in_turn = InTurn::Open;
        }
    }

    /// The same, if `message` is another answer than the one after which it was stored.
    pub(super) fn went_on_to(&mut self, message: &MessageId) {
        if self.stored().is_some_and(|stored| stored.after < *message) {
            self.went_on();
        }
    }

    /// The turn ended without it: it is taken back, as if it had never been.
    pub(super) fn take_back(&mut self, cx: &mut Cx<'_>) {
        let Some(Stored { request, message, .. }) = self.stored().cloned() else { return };
        self.in_turn = InTurn::TooSlow;
        self.budget.uncount_reminder();
        self.cost.reminders = self.cost.reminders.saturating_sub(1);
        cx.log(Level::Warn, "the turn ended before the reminder was stored; it is taken back".to_owned());
        cx.effects.push(Effect::Unsend { session: cx.session.clone(), request, message });
    }

    /// The reminder that the host was handed.
    pub(super) fn stored(&self) -> Option<&Stored> {
        match &self.in_turn {
            InTurn::Stored(stored) => Some(stored),
            InTurn::Open | InTurn::TooSlow => None,
        }
    }

    /// The turn ended, and nothing speaks against a reminder: it comes after the delay, or at once where turns are to follow
    /// without a pause. opencode that ends here must not be handed anything.
    pub(super) fn wait_for_reminder(&mut self, why: &str, cx: &mut Cx<'_>) {
        if cx.options.ends_at_idle {
            self.transition_to_quiet(Silence::HostEnds, cx);
            return;
        }
        let delay = if cx.options.continue_in_run == Some(true) { 0 } else { cx.options.idle_delay_ms };
        self.transition_to_waiting(delay, 0, why, cx);
    }
}
