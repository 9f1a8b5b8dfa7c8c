//! The options (R14): read from several sources, each field checked alone, nothing fatal.

mod field;
mod source;

pub use source::{Diagnostic, Source};

use serde::Serialize;

use crate::wording;

/// The switches and bounds that a person can set. A field that no source sets validly has its default.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own that a person sets")]
pub struct Options {
    /// Whether the plugin does anything at all. Default `true`.
    pub enabled: bool,
    /// The statuses of an unfinished todo. Default `pending`, `in_progress`, `open`; never `completed` or `cancelled`.
    pub trigger_statuses: Vec<String>,
    /// Reminders without progress before the plugin stops (R6). 0 to 1000, default 3; 0 sends none.
    pub max_auto_submits_per_todo: u32,
    /// Reminders after one message of the person, however much progress there is (R6). 0 to 1000, default 50.
    pub max_reminders_per_message: u32,
    /// Milliseconds between idle and the reminder. 0 to 3,600,000, default 500.
    pub idle_delay_ms: u64,
    /// The reminder when no todo is in progress (R2).
    pub message_format: String,
    /// The reminder when a todo is in progress (R2).
    pub in_progress_message_format: String,
    /// Whether toasts are shown. Default `true`.
    pub use_toasts: bool,
    /// Whether the reminder comes inside the turn, which then goes on without going idle (R7); `None` for "auto": only under
    /// `opencode run`. Default `None`.
    pub continue_in_run: Option<bool>,
    /// Whether opencode ends at the first idle, as `opencode run` does. Nobody writes it down. Default `false`.
    pub ends_at_idle: bool,
    /// Agents whose sessions get no reminder. Default `plan`.
    pub skip_agents: Vec<String>,
    /// Whether the reminder's part is marked synthetic, which hides it from the person. Default `false`.
    pub synthetic_prompt: bool,
    /// Whether unfinished todos that a `todowrite` leaves out are put back (R8). Default `true`.
    pub preserve_unfinished_todos: bool,
    /// Whether reminders show the unfinished todos of other sessions (R10). Default `false`.
    pub warn_orphaned_todos: bool,
    /// How many other sessions are looked at for that. 0 to 1000, default 20; 0 looks at none.
    pub orphan_scan_limit: u32,
    /// Whether the log also goes to `.opencode/todo-reminder.log`. Default `false`.
    pub debug: bool,
    /// The reminder inside a turn (R9).
    pub nudge: NudgeOptions,
    /// The tools whose call counts as a look at the list. Default `todowrite`.
    pub task_tools: Vec<String>,
}

/// The options of the nudge (R9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NudgeOptions {
    /// Whether there are nudges. Default `true`.
    pub enabled: bool,
    /// How many requests without a call of `taskTools` come before one. 1 to 1000, default 8.
    pub after_requests: u32,
    /// How many requests come between two nudges at least. 1 to 1000, default 8.
    pub cooldown_requests: u32,
    /// Where in the request it goes.
    pub placement: Placement,
    /// What it says.
    pub message_format: String,
}

/// Where a nudge goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Placement {
    /// To the end of the request, so that what the provider has cached of it stays valid.
    Tail,
    /// To the end of the latest user message's last text.
    UserMessage,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            enabled: true,
            trigger_statuses: ["pending", "in_progress", "open"].map(str::to_owned).into(),
            max_auto_submits_per_todo: 3,
            max_reminders_per_message: 50,
            idle_delay_ms: 500,
            message_format: wording::MESSAGE_FORMAT.to_owned(),
            in_progress_message_format: wording::IN_PROGRESS_MESSAGE_FORMAT.to_owned(),
            use_toasts: true,
            continue_in_run: None,
            ends_at_idle: false,
            skip_agents: ["plan"].map(str::to_owned).into(),
            synthetic_prompt: false,
            preserve_unfinished_todos: true,
            warn_orphaned_todos: false,
            orphan_scan_limit: 20,
            debug: false,
            nudge: NudgeOptions {
                enabled: true,
                after_requests: 8,
                cooldown_requests: 8,
                placement: Placement::Tail,
                message_format: wording::NUDGE_FORMAT.to_owned(),
            },
            task_tools: vec!["todowrite".to_owned()],
        }
    }
}

impl Options {
    /// The defaults with `sources` laid over them in their order, field by field, and what was wrong with the sources. A
    /// bad field leaves the value below it as it was.
    #[must_use]
    pub fn resolve(sources: &[Source]) -> (Self, Vec<Diagnostic>) {
        let mut options = Self::default();
        let mut diagnostics = Vec::new();
        for source in sources {
            source.lay_over(&mut options, &mut diagnostics);
        }
        (options, diagnostics)
    }

    /// Whether the bounds allow any reminder.
    #[must_use]
    pub const fn sends_reminders(&self) -> bool {
        self.max_auto_submits_per_todo > 0 && self.max_reminders_per_message > 0
    }

    /// Whether other sessions' todos are looked at (R10).
    #[must_use]
    pub const fn scans_orphans(&self) -> bool {
        self.enabled && self.warn_orphaned_todos && self.orphan_scan_limit > 0
    }

    /// Whether a todo with this status is unfinished.
    #[must_use]
    pub fn is_unfinished(&self, status: &str) -> bool {
        self.trigger_statuses.iter().any(|trigger| trigger == status)
    }
}

#[cfg(test)]
mod tests;
