//! When a reminder is due, and when not, and why (R4, R5). Pure predicates.

use std::{fmt, iter};

use crate::budget::{Budget, Left};
use crate::input::{Agent, AssistantMessage, Failure, Identity, Rule, SessionInfo};
use crate::options::Options;
use crate::text;
use crate::todo::Todo;

/// The tool that writes the todo list: without it an agent cannot end a list.
pub(crate) const TODO_TOOL: &str = "todowrite";

/// Why no reminder is sent. The person need not do anything about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The options allow no reminder at all.
    RemindersOff,
    /// The person paused the session with a command.
    SwitchedOff,
    /// Nothing is left to do.
    NoUnfinished,
    /// A subagent answers to its parent, not to the person.
    Subagent,
    /// The option `skipAgents` names the agent.
    SkippedAgent,
    /// The agent may not use `todowrite`, so it could never finish the list.
    ToolDenied,
    /// A turn runs, after all.
    Active,
    /// A permission or a question waits for the person.
    AwaitsPerson,
    /// The session is being compacted.
    Compacting,
    /// The person undid messages; the list no longer fits the history.
    Reverted,
    /// The session is archived.
    Archived,
    /// The session is gone, or the host does not tell about it.
    Gone,
    /// A subagent still works for the session.
    DescendantActive,
    /// Nobody knows as whom to speak (R3).
    NobodySpoke,
    /// The host did not tell the todos, however often it was asked.
    Unanswered,
    /// The host did not take the reminder in time.
    NotTaken,
    /// `opencode run` ends when the turn does.
    HostEnds,
}

impl Silence {
    /// Whether what was in the way may be over when the session goes idle once more.
    pub(crate) const fn is_passing(self) -> bool {
        match self {
            Self::Active | Self::AwaitsPerson | Self::Compacting | Self::Unanswered => true,
            Self::RemindersOff
            | Self::SwitchedOff
            | Self::NoUnfinished
            | Self::Subagent
            | Self::SkippedAgent
            | Self::ToolDenied
            | Self::Reverted
            | Self::Archived
            | Self::Gone
            | Self::DescendantActive
            | Self::NobodySpoke
            | Self::NotTaken
            | Self::HostEnds => false,
        }
    }
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RemindersOff => "the options allow none",
            Self::SwitchedOff => "/todo-keeper pause was given",
            Self::NoUnfinished => "no unfinished todos",
            Self::Subagent => "the session is a subagent's",
            Self::SkippedAgent => "skipAgents names the agent",
            Self::ToolDenied => "the agent may not use todowrite",
            Self::Active => "a turn is running",
            Self::AwaitsPerson => "a permission or a question is waiting",
            Self::Compacting => "the session is being compacted",
            Self::Reverted => "messages were undone",
            Self::Archived => "the session is archived",
            Self::Gone => "the session is gone, or the host does not tell of it",
            Self::DescendantActive => "a subagent is still working",
            Self::NobodySpoke => "no message of a person is known whose agent and model could be used",
            Self::Unanswered => "the host did not tell the todos",
            Self::NotTaken => "the host did not take it in time",
            Self::HostEnds => "opencode run ends here",
        })
    }
}

/// Why nothing is sent until the person speaks again (R4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PauseReason {
    /// The person stopped the turn.
    Aborted,
    /// The person rejected a permission or dismissed a question.
    Rejected,
    /// The answer was cut at the model's output limit.
    CutOff,
    /// The turn or the plugin's own prompt failed.
    Failed(Failure),
}

impl PauseReason {
    /// The pause after `failure`.
    pub(crate) fn of(failure: Failure) -> Self {
        if failure.name == "MessageAbortedError" { Self::Aborted } else { Self::Failed(failure) }
    }

    /// The pause after a turn that ended on `message`, if it calls for one: with `finish: "tool-calls"` a person said no.
    pub(crate) fn of_ending(message: &AssistantMessage) -> Option<Self> {
        if let Some(error) = &message.error {
            return Some(Self::of(error.clone()));
        }
        match message.finish.as_deref() {
            Some("tool-calls") => Some(Self::Rejected),
            Some("length") => Some(Self::CutOff),
            _ => None,
        }
    }
}

impl fmt::Display for PauseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Aborted => f.write_str("you stopped the agent"),
            Self::Rejected => f.write_str("you rejected a permission or dismissed a question"),
            Self::CutOff => f.write_str("the answer was cut at the model's output limit"),
            Self::Failed(Failure { name, message }) if message.is_empty() => write!(f, "{}", text::one_line(name)),
            Self::Failed(Failure { name, message }) => {
                write!(f, "{}: {}", text::one_line(name), text::one_line(message))
            }
        }
    }
}

/// What the decision is made of.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Facts<'a> {
    /// The options.
    pub(crate) options: &'a Options,
    /// As whom the reminder would speak, when a person spoke.
    pub(crate) identity: Option<&'a Identity>,
    /// Whether the person paused the session.
    pub(crate) is_switched_off: bool,
    /// Whether a permission or a question waits.
    pub(crate) awaits_person: bool,
    /// Whether a descendant session runs.
    pub(crate) is_descendant_active: bool,
    /// Whether the session itself runs.
    pub(crate) is_active: bool,
    /// The session, when the host told of it.
    pub(crate) info: Option<&'a SessionInfo>,
    /// The list, when it is known.
    pub(crate) todos: Option<&'a [Todo]>,
    /// The agents of the project, as far as they are known.
    pub(crate) agents: &'a [Agent],
}

/// The first reason not to remind, or `None` when a reminder is in order. The budget is asked for apart: its end is no
/// silence, the person is told of it.
pub(crate) fn silence(facts: &Facts<'_>) -> Option<Silence> {
    let options = facts.options;
    let Some(info) = facts.info else {
        return Some(Silence::Gone);
    };
    let Some(todos) = facts.todos else {
        return Some(Silence::Unanswered);
    };
    let standing = [
        (!options.sends_reminders(), Silence::RemindersOff),
        (facts.is_switched_off, Silence::SwitchedOff),
        (info.parent.is_some(), Silence::Subagent),
        (info.is_archived, Silence::Archived),
        (info.is_reverted, Silence::Reverted),
        (info.is_compacting, Silence::Compacting),
        (unfinished(options, todos) == 0, Silence::NoUnfinished),
        (facts.is_active, Silence::Active),
        (facts.awaits_person, Silence::AwaitsPerson),
        (facts.is_descendant_active, Silence::DescendantActive),
    ];
    if let Some((_, reason)) = standing.into_iter().find(|(holds, _)| *holds) {
        return Some(reason);
    }
    let Some(identity) = facts.identity else {
        return Some(Silence::NobodySpoke);
    };
    if options.skip_agents.contains(&identity.agent) {
        return Some(Silence::SkippedAgent);
    }
    (!may_use(TODO_TOOL, &identity.agent, facts.agents, &info.rules)).then_some(Silence::ToolDenied)
}

/// How many of `todos` are unfinished.
pub(crate) fn unfinished(options: &Options, todos: &[Todo]) -> usize {
    todos.iter().filter(|todo| options.is_unfinished(&todo.status)).count()
}

/// What the budget leaves: `None` while reminders are in order, else why they stop.
pub(crate) fn exhausted(budget: &Budget, options: &Options) -> Option<String> {
    match budget.left(options) {
        Left::Some | Left::Last => None,
        Left::NoProgress(count) => Some(format!("{count} reminders in a row brought no progress")),
        Left::TooMany(count) => Some(format!("{count} reminders were sent since your last message")),
    }
}

/// Whether the agent called `name` has `tool`. As opencode decides it: of the agent's rules and then the session's, the last
/// one that names the tool counts, and it takes the tool away when it denies all of it. An unknown agent has it.
pub(crate) fn may_use(tool: &str, name: &str, agents: &[Agent], session_rules: &[Rule]) -> bool {
    let agent = agents.iter().find(|agent| agent.name == name);
    let mut rules = agent.map(|agent| agent.rules.as_slice()).unwrap_or_default().iter().chain(session_rules);
    let names_tool = |rule: &&Rule| fits(&rule.permission, tool);
    !rules.rfind(names_tool).is_some_and(|rule| rule.pattern == "*" && rule.action == "deny")
}

/// Whether `pattern` fits all of `text`: `*` stands for any run of characters, `?` for one.
fn fits(pattern: &str, text: &str) -> bool {
    // For each beginning of the text, the empty one first: whether what was read of the pattern fits it.
    let mut fits: Vec<bool> = iter::once(true).chain(text.chars().map(|_| false)).collect();
    for wanted in pattern.chars() {
        if wanted == '*' {
            let mut any = false;
            for fit in &mut fits {
                any |= *fit;
                *fit = any;
            }
        } else {
            let one_more = fits.iter().zip(text.chars()).map(|(fit, c)| *fit && (wanted == '?' || wanted == c));
            fits = iter::once(false).chain(one_more).collect();
        }
    }
    fits.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::MessageId;

    fn rules(text: &str) -> Vec<Rule> {
        let rule = |(permission, action): (&str, &str)| Rule {
            permission: permission.to_owned(),
            pattern: "*".to_owned(),
            action: action.to_owned(),
        };
        text.split_whitespace().filter_map(|word| word.split_once('=')).map(rule).collect()
    }

    fn may(agent: &str, session: &str) -> bool {
        may_use(TODO_TOOL, "build", &[Agent { name: "build".to_owned(), rules: rules(agent) }], &rules(session))
    }

    #[test]
    fn the_last_rule_that_names_the_tool_counts() {
        assert!(may("", ""));
        assert!(may("*=deny todowrite=allow", ""));
        assert!(!may("todowrite=allow *=deny", ""));
        assert!(!may("todowrite=deny external_directory=ask", ""));
        assert!(!may("todo*=deny", ""));
        assert!(!may("*=allow", "todowrite=deny"));
        assert!(may("todowrite=deny", "todowrite=allow"));
        assert!(may("todowrite=ask bash=deny", ""));
    }

    #[test]
    fn a_pattern_fits_all_of_a_text_or_does_not_fit() {
        for pattern in ["todowrite", "*", "todo*", "*write", "t*o*e", "**", "todo?rite", "*todowrite*", "?????????"] {
            assert!(fits(pattern, TODO_TOOL), "{pattern}");
        }
        for pattern in ["", "todo", "write", "todoread", "todowrite?", "TODOWRITE", "*x*", "????????", "t*ox*e"] {
            assert!(!fits(pattern, TODO_TOOL), "{pattern}");
        }
        assert!(fits("", "") && fits("*", "") && fits("?é", "éé") && !fits("?", ""));
        assert!(!fits(&"*a".repeat(5_000), TODO_TOOL));
    }

    #[test]
    fn a_rule_for_a_part_of_the_tool_does_not_take_it_away() {
        let partly =
            vec![Rule { permission: TODO_TOOL.to_owned(), pattern: "x".to_owned(), action: "deny".to_owned() }];
        assert!(may_use(TODO_TOOL, "build", &[Agent { name: "build".to_owned(), rules: partly }], &[]));
    }

    #[test]
    fn an_unknown_agent_has_the_tool() {
        assert!(may_use(TODO_TOOL, "other", &[Agent { name: "build".to_owned(), rules: rules("*=deny") }], &[]));
    }

    #[test]
    fn an_ending_calls_for_a_pause_or_not() {
        let ending = |finish: Option<&str>, error: Option<&str>| {
            let failure = |name: &str| Failure { name: name.to_owned(), message: String::new() };
            let finish = finish.map(str::to_owned);
            let id = MessageId("msg_1".to_owned());
            PauseReason::of_ending(&AssistantMessage { id, error: error.map(failure), finish, todos: Vec::new() })
        };
        assert_eq!(ending(Some("stop"), None), None);
        assert_eq!(ending(None, None), None);
        assert_eq!(ending(Some("tool-calls"), None), Some(PauseReason::Rejected));
        assert_eq!(ending(Some("length"), None), Some(PauseReason::CutOff));
        assert_eq!(ending(None, Some("MessageAbortedError")), Some(PauseReason::Aborted));
        assert!(matches!(ending(Some("stop"), Some("APIError")), Some(PauseReason::Failed(_))));
    }
}
