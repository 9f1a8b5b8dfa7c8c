//! To remind or not to remind: what follows from the host's answer, and what a pause tells the person.

use super::state::{Notice, State};
use super::switch::Switch;
use super::{Cx, HISTORY, Person, RETRY_DELAYS, Session};
use crate::budget::Left;
use crate::effect::{Effect, Level};
use crate::history;
use crate::id::{MessageId, SessionId};
use crate::input::{History, Mark, Snapshot};
use crate::policy::{self, Facts, PauseReason, Silence};
use crate::wording;

impl Session {
    /// Decides on what the host said: a reminder, or silence with its reason, or another look.
    pub(super) fn decide(&mut self, snapshot: &Snapshot, attempt: usize, history: u32, cx: &mut Cx<'_>) {
        if let Some(found) = &snapshot.history
            && self.person.is_none()
        {
            if !found.is_whole && history < HISTORY.1 && history::replay(&found.messages).is_none() {
                self.fetch(attempt, history.saturating_mul(2), cx);
                return;
            }
            if self.take_up_or_pause(found, cx) {
                self.give_notice(snapshot, cx);
                return;
            }
        }
        self.learn_of_scan(snapshot.history.as_ref());
        if let Some(todos) = &snapshot.todos {
            self.on_todos(todos.clone());
        }
        match policy::silence(&self.facts(snapshot, cx)) {
            Some(Silence::Unanswered) => self.try_again(attempt, "the host did not tell the todos", cx),
            Some(silence) => self.transition_to_quiet(silence, cx),
            None => self.remind(None, cx),
        }
    }

    /// Asks again after a while, or lets it be.
    pub(super) fn try_again(&mut self, attempt: usize, why: &str, cx: &mut Cx<'_>) {
        if let Some(delay) = RETRY_DELAYS.get(attempt) {
            self.transition_to_waiting(*delay, attempt + 1, why, cx);
        } else {
            cx.log(Level::Warn, format!("no reminder: {why}, {} times", attempt + 1));
            self.transition_to_quiet(Silence::Unanswered, cx);
        }
    }

    /// Pauses until the person speaks. The first pause says why; what follows it is part of the same trouble, and the latest
    /// message that failed is the one that counts.
    pub(super) fn pause(&mut self, reason: PauseReason, by: Option<MessageId>, cx: &mut Cx<'_>) {
        if let State::Paused { by: first, .. } = &mut self.state {
            *first = first.take().zip(by).map(|(first, by)| first.max(by));
            return;
        }
        let why = format!("{reason}; reminders go on after your next message");
        let notice = if self.todos.is_some() { Notice::Settled } else { Notice::Due };
        if self.is_known_to_be_reminded(cx) {
            cx.toast("Todo reminders paused", format!("{why}."));
        }
        self.overtake_commands();
        self.transition_to(State::Paused { by, reason, notice }, &why, cx);
    }

    /// Whether a reminder would be in view, as far as the events tell.
    fn is_known_to_be_reminded(&self, cx: &Cx<'_>) -> bool {
        let todos = self.todos.as_deref().unwrap_or_default();
        let is_skipped = |person: &Person| cx.options.skip_agents.contains(&person.identity.agent);
        cx.options.sends_reminders()
            && policy::unfinished(cx.options, todos) > 0
            && !self.person.as_ref().is_some_and(is_skipped)
            && self.switch != Switch::Off
    }

    /// Asks whether there is anything unfinished that the pause keeps the plugin from.
    pub(super) fn ask_for_notice(&mut self, cx: &mut Cx<'_>) {
        if let State::Paused { notice, .. } = &mut self.state {
            let request = cx.requests.next();
            *notice = Notice::Asked(request);
            let history = if self.person.is_none() { HISTORY.0 } else { 0 };
            cx.effects.push(Effect::Fetch { request, session: cx.session.clone(), history });
        }
    }

    /// Tells the person of the pause if a reminder would have come without it.
    pub(super) fn give_notice(&mut self, snapshot: &Snapshot, cx: &mut Cx<'_>) {
        if let Some(found) = snapshot.history.as_ref().filter(|_| self.person.is_none()) {
            self.take_up(found);
        }
        if let Some(todos) = &snapshot.todos {
            self.on_todos(todos.clone());
        }
        let silence = policy::silence(&self.facts(snapshot, cx));
        if let State::Paused { reason, notice, .. } = &mut self.state {
            *notice = Notice::Settled;
            if silence.is_none() {
                cx.toast("Todo reminders paused", format!("{reason}; reminders go on after your next message."));
            }
        }
    }

    /// Takes the session up where its messages left it; returns why it is paused, if it is.
    fn take_up(&mut self, found: &History) -> Option<PauseReason> {
        let found = history::replay(&found.messages)?;
        let message = found.person.id;
        self.person = found.person.identity.map(|identity| Person { message, identity });
        self.budget = found.budget;
        found.pause.filter(|_| self.switch != Switch::Resumed)
    }

    /// Takes the session up where its messages left it, in a pause if they tell of one; returns whether they do.
    pub(super) fn take_up_or_pause(&mut self, found: &History, cx: &mut Cx<'_>) -> bool {
        let Some(reason) = self.take_up(found) else { return false };
        let why = format!("{reason}, before the restart");
        self.transition_to(State::Paused { by: None, reason, notice: Notice::Due }, &why, cx);
        true
    }

    /// All that the decision is made of.
    pub(super) fn facts<'a>(&'a self, snapshot: &'a Snapshot, cx: &'a Cx<'_>) -> Facts<'a> {
        let active = snapshot.active.as_deref().unwrap_or_default();
        let is_descendant = |other: &SessionId| other != cx.session && cx.family.root_of(other) == cx.session;
        Facts {
            options: cx.options,
            identity: self.person.as_ref().map(|person| &person.identity),
            is_switched_off: self.switch == Switch::Off,
            awaits_person: !self.asks.is_empty(),
            is_descendant_active: cx.family.is_descendant_running(cx.session) || active.iter().any(is_descendant),
            is_active: active.contains(cx.session),
            info: snapshot.info.as_ref(),
            todos: snapshot.todos.as_deref(),
            agents: snapshot.agents.as_deref().unwrap_or_default(),
        }
    }

    /// Sends the reminder, when other sessions were looked at if they are to be, or says that there will be no more. In a turn that
    /// runs, it is stored `after` the message that would end the turn, and nothing is looked at: there is no time.
    pub(super) fn remind(&mut self, after: Option<MessageId>, cx: &mut Cx<'_>) {
        let todos = self.todos.as_deref().unwrap_or_default();
        let unfinished = policy::unfinished(cx.options, todos);
        if let Some(why) = policy::exhausted(&self.budget, cx.options) {
            let rest = if unfinished == 1 { "1 todo is".to_owned() } else { format!("{unfinished} todos are") };
            let message = format!("{why}; {rest} unfinished. Send any message or /todo-keeper resume to go on.");
            cx.toast("Todo reminders stopped", message.clone());
            self.transition_to(State::Exhausted, &message, cx);
            return;
        }
        if after.is_none() && self.is_scan_due(cx) { self.look_for_orphans(cx) } else { self.send("", after, cx) }
    }

    /// Sends the reminder, or stores it `after` a message; `orphan_table` is what it says of other sessions.
    pub(super) fn send(&mut self, orphan_table: &str, after: Option<MessageId>, cx: &mut Cx<'_>) {
        let todos = self.todos.as_deref().unwrap_or_default();
        let unfinished = policy::unfinished(cx.options, todos);
        let Some(person) = &self.person else { return };
        let identity = person.identity.clone();
        let text = wording::reminder(cx.options, todos, orphan_table, self.budget.left(cx.options) == Left::Last);
        let mark = Mark { reminder: self.budget.count_reminder() };
        self.cost.reminders += 1;
        let why = format!("reminder {} about {unfinished} unfinished todos", mark.reminder);
        let no_reply = after.is_some();
        let request = match after {
            None => self.transition_to_prompting(&why, cx),
            Some(after) => self.store(after, why, cx),
        };
        let (session, synthetic) = (cx.session.clone(), cx.options.synthetic_prompt);
        cx.effects.push(Effect::Prompt { request, session, text, identity, synthetic, mark, no_reply });
    }
}
