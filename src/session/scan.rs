//! Other sessions' todos in a reminder (R10): looked for once in a session's life.

use super::state::State;
use super::{Cx, HISTORY, SCAN_TIMEOUT, Session};
use crate::effect::{Effect, Level};
use crate::id::RequestId;
use crate::input::{History, Message};
use crate::policy::{self, Silence};
use crate::wording;

/// Whether other sessions are looked at with the next reminder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Scan {
    /// Its messages have to tell: a session may have been reminded before the plugin was loaded.
    #[default]
    Unknown,
    /// It was not done, or it failed.
    Due,
    /// It was done.
    Done,
}

impl Session {
    /// How many messages a decision needs.
    pub(super) fn history_wanted(&self, cx: &Cx<'_>) -> u32 {
        let asks_for_reminders = cx.options.scans_orphans() && self.scan == Scan::Unknown;
        if self.person.is_none() || asks_for_reminders { HISTORY.0 } else { 0 }
    }

    /// A session that has a reminder among its messages was scanned when it got the first one.
    pub(super) fn learn_of_scan(&mut self, found: Option<&History>) {
        if let (Scan::Unknown, Some(found)) = (self.scan, found) {
            let is_reminder = |message: &Message| matches!(message, Message::User(user) if user.mark.is_some_and(|mark| mark.reminder > 0));
            self.scan = if found.messages.iter().any(is_reminder) { Scan::Done } else { Scan::Due };
        }
    }

    /// Whether the reminder in order is the one to show other sessions' todos.
    pub(super) fn is_scan_due(&self, cx: &Cx<'_>) -> bool {
        let todos = self.todos.as_deref().unwrap_or_default();
        cx.options.scans_orphans() && self.scan != Scan::Done && wording::shows_orphans(cx.options, todos)
    }

    /// Asks the host for other sessions' todos before the reminder goes out.
    pub(super) fn look_for_orphans(&mut self, cx: &mut Cx<'_>) {
        let request = cx.requests.next();
        let give_up_at = cx.now.after(SCAN_TIMEOUT);
        self.transition_to(State::Scanning { request, give_up_at }, "other sessions are looked at first", cx);
        cx.effects.push(Effect::Scan { request, session: cx.session.clone(), is_report: false });
    }

    /// The host told of other sessions, or did not.
    pub(crate) fn on_scanned(&mut self, request: RequestId, table: Option<String>, cx: &mut Cx<'_>) {
        if self.on_command_scanned(request, table.as_deref(), cx)
            || !matches!(&self.state, State::Scanning { request: expected, .. } if *expected == request)
        {
            return;
        }
        self.remind_beside(table, cx);
    }

    /// Sends the reminder for which other sessions were looked at, if it is still in order.
    /// `table` is `None` when they could not be.
    pub(super) fn remind_beside(&mut self, table: Option<String>, cx: &mut Cx<'_>) {
        if table.is_none() {
            cx.log(
                Level::Debug,
                "other sessions did not show: they are looked at again with the next reminder".to_owned(),
            );
        }
        let todos = self.todos.as_deref().unwrap_or_default();
        let silences = [
            (policy::unfinished(cx.options, todos) == 0, Silence::NoUnfinished),
            (!self.asks.is_empty(), Silence::AwaitsPerson),
            (cx.family.is_descendant_running(cx.session), Silence::DescendantActive),
        ];
        if let Some((_, silence)) = silences.into_iter().find(|(holds, _)| *holds) {
            self.transition_to_quiet(silence, cx);
        } else {
            self.scan = if table.is_some() { Scan::Done } else { Scan::Due };
            self.send(&table.unwrap_or_default(), None, cx);
        }
    }
}
