//! What a session's requests to the model carry beside what is stored: nudges (R9), and the plan in a summary (R11).

use super::switch::Switch;
use super::{Cx, Session};
use crate::effect::{Effect, Level};
use crate::nudge::{self, Advice, Seen, Tally};
use crate::policy;

/// What is known of the session's requests.
#[derive(Debug, Default)]
pub(super) struct Requests {
    tally: Tally,
    /// Whether the next request is the summary of a compaction.
    is_summarising: bool,
    /// Whether the step that runs, or is about to, is the summary of a compaction.
    is_in_summary: bool,
    /// Whether the host was asked for what is not known; it is asked once.
    is_asked: bool,
}

impl Requests {
    /// The turn is over; what was announced and did not come does not come any more.
    pub(super) fn ended(&mut self) {
        self.is_summarising = false;
        self.is_in_summary = false;
    }

    /// Whether the step that ends here was the summary of a compaction.
    pub(super) fn step_was_summary(&mut self) -> bool {
        std::mem::take(&mut self.is_in_summary)
    }
}

impl Session {
    /// A request is about to go out; `latest_first` are its messages.
    pub(crate) fn on_request(&mut self, latest_first: impl Iterator<Item = Seen>, cx: &mut Cx<'_>) -> Advice {
        self.went_on();
        let is_summary = std::mem::take(&mut self.requests.is_summarising);
        if !cx.options.nudge.enabled {
            return Advice::default();
        }
        if is_summary {
            self.requests.tally.count_before_summary(latest_first, cx.options);
            return Advice::default();
        }
        self.requests.tally.count(latest_first, cx.options);
        let is_due = self.requests.tally.is_due(cx.options);
        if self.todos.is_none() || is_due && self.switch == Switch::Unknown && !self.requests.is_asked {
            return self.ask(is_due, cx);
        }
        if !is_due || self.switch == Switch::Off || !self.has_task_tool(cx) {
            return Advice::default();
        }
        let addition = nudge::nudge(cx.options, self.todos.as_deref().unwrap_or_default());
        if addition.is_some() {
            self.requests.tally.nudged();
            self.cost.nudges += 1;
            cx.log(Level::Debug, "nudge: the todo list was not updated for a while".to_owned());
        }
        Advice { addition, ..Advice::default() }
    }

    /// The next request asks for the summary of a compaction.
    pub(crate) fn on_compacting(&mut self, cx: &mut Cx<'_>) -> Advice {
        self.requests.is_summarising = true;
        self.requests.is_in_summary = true;
        let Some(todos) = &self.todos else { return self.ask(true, cx) };
        Advice { addition: nudge::plan(cx.options, todos), ..Advice::default() }
    }

    /// Asks the host once for what is not known.
    fn ask(&mut self, is_open: bool, cx: &mut Cx<'_>) -> Advice {
        if std::mem::replace(&mut self.requests.is_asked, true) {
            return Advice::default();
        }
        let fetch = Effect::Fetch { request: cx.requests.next(), session: cx.session.clone(), history: 0 };
        Advice { effects: vec![fetch], is_open, addition: None }
    }

    /// Whether the person's agent has one of the tools that would end the silence.
    fn has_task_tool(&self, cx: &Cx<'_>) -> bool {
        let agent = self.person.as_ref().map_or("", |person| &person.identity.agent);
        cx.options.task_tools.iter().any(|tool| policy::may_use(tool, agent, cx.agents, &self.info.rules))
    }
}
