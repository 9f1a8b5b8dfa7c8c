//! One field of the options: its name, what it may hold, and where it goes.

use super::{NudgeOptions, Options, Placement};
use crate::wording;
use todo_keeper_json::{self as json, Json};

/// Every option's name, as a person writes it.
pub(super) const NAMES: [&str; 22] = [
    "enabled",
    "triggerStatuses",
    "maxAutoSubmitsPerTodo",
    "maxRemindersPerMessage",
    "idleDelayMs",
    "messageFormat",
    "inProgressMessageFormat",
    "useToasts",
    "continueInRun",
    "skipAgents",
    "syntheticPrompt",
    "preserveUnfinishedTodos",
    "warnOrphanedTodos",
    "orphanScanLimit",
    "debug",
    "nudge",
    "nudge.enabled",
    "nudge.afterRequests",
    "nudge.cooldownRequests",
    "nudge.placement",
    "nudge.messageFormat",
    "taskTools",
];

/// Why a field was not taken.
pub(super) enum Rejected {
    /// There is no such option.
    Unknown,
    /// The value is not of the kind that this text names.
    Expected(&'static str),
}

/// Puts `value` into the field called `name`; leaves the options as they are when it does not fit.
pub(super) fn set(options: &mut Options, name: &str, value: &Json<'_>) -> Result<(), Rejected> {
    match name {
        "enabled" => options.enabled = boolean(value)?,
        "triggerStatuses" => options.trigger_statuses = statuses(value)?,
        "maxAutoSubmitsPerTodo" => options.max_auto_submits_per_todo = up_to_a_thousand(value)?,
        "maxRemindersPerMessage" => options.max_reminders_per_message = up_to_a_thousand(value)?,
        "idleDelayMs" => options.idle_delay_ms = up_to_an_hour(value)?.into(),
        "messageFormat" => options.message_format = format(value)?,
        "inProgressMessageFormat" => options.in_progress_message_format = format(value)?,
        "useToasts" => options.use_toasts = boolean(value)?,
        "continueInRun" => options.continue_in_run = automatic(value)?,
        "skipAgents" => options.skip_agents = agents(value)?,
        "syntheticPrompt" => options.synthetic_prompt = boolean(value)?,
        "preserveUnfinishedTodos" => options.preserve_unfinished_todos = boolean(value)?,
        "warnOrphanedTodos" => options.warn_orphaned_todos = boolean(value)?,
        "orphanScanLimit" => options.orphan_scan_limit = up_to_a_thousand(value)?,
        "debug" => options.debug = boolean(value)?,
        "taskTools" => options.task_tools = tools(value)?,
        "nudge" => return Err(Rejected::Expected("an object like { \"enabled\": true }")),
        _ => return set_nudge(&mut options.nudge, name.strip_prefix("nudge.").unwrap_or_default(), value),
    }
    Ok(())
}

fn set_nudge(nudge: &mut NudgeOptions, name: &str, value: &Json<'_>) -> Result<(), Rejected> {
    match name {
        "enabled" => nudge.enabled = boolean(value)?,
        "afterRequests" => nudge.after_requests = requests(value)?,
        "cooldownRequests" => nudge.cooldown_requests = requests(value)?,
        "placement" => nudge.placement = placement(value)?,
        "messageFormat" => nudge.message_format = format(value)?,
        _ => return Err(Rejected::Unknown),
    }
    Ok(())
}

/// The placeholders of the format called `name`, or `None` when that is no format.
pub(super) fn placeholders(name: &str) -> Option<&'static str> {
    match name {
        "messageFormat" | "inProgressMessageFormat" => Some(wording::PLACEHOLDERS),
        "nudge.messageFormat" => Some(wording::NUDGE_PLACEHOLDERS),
        _ => None,
    }
}

fn boolean(value: &Json<'_>) -> Result<bool, Rejected> {
    if let Json::Flag(value) = value { Ok(*value) } else { Err(Rejected::Expected("true or false")) }
}

fn automatic(value: &Json<'_>) -> Result<Option<bool>, Rejected> {
    if string(value) == Some("auto") {
        return Ok(None);
    }
    boolean(value).map(Some).or(Err(Rejected::Expected("\"auto\", true or false")))
}

fn up_to_a_thousand(value: &Json<'_>) -> Result<u32, Rejected> {
    whole_number(value, 1_000).ok_or(Rejected::Expected("a whole number from 0 to 1000"))
}

fn requests(value: &Json<'_>) -> Result<u32, Rejected> {
    const EXPECTED: Rejected = Rejected::Expected("a whole number from 1 to 1000");
    whole_number(value, 1_000).filter(|number| *number > 0).ok_or(EXPECTED)
}

fn placement(value: &Json<'_>) -> Result<Placement, Rejected> {
    match string(value) {
        Some("tail") => Ok(Placement::Tail),
        Some("user-message") => Ok(Placement::UserMessage),
        _ => Err(Rejected::Expected("\"tail\" or \"user-message\"")),
    }
}

fn up_to_an_hour(value: &Json<'_>) -> Result<u32, Rejected> {
    whole_number(value, 3_600_000).ok_or(Rejected::Expected("a whole number of milliseconds from 0 to 3600000"))
}

/// The number in `value` when it is whole and from 0 to `most`.
fn whole_number(value: &Json<'_>, most: u32) -> Option<u32> {
    if let Json::Number(digits) = value { json::whole_number(digits, most) } else { None }
}

fn format(value: &Json<'_>) -> Result<String, Rejected> {
    let text = string(value).filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or(Rejected::Expected("a text that is neither empty nor blank"))
}

fn agents(value: &Json<'_>) -> Result<Vec<String>, Rejected> {
    strings(value).ok_or(Rejected::Expected("a list of agents' names"))
}

fn tools(value: &Json<'_>) -> Result<Vec<String>, Rejected> {
    let tools = strings(value).filter(|tools| !tools.is_empty());
    tools.ok_or(Rejected::Expected("a list of tools' names that is not empty"))
}

fn statuses(value: &Json<'_>) -> Result<Vec<String>, Rejected> {
    let open = |statuses: &Vec<String>| !statuses.iter().any(|status| status == "completed" || status == "cancelled");
    strings(value).filter(open).ok_or(Rejected::Expected("a list of statuses other than completed and cancelled"))
}

/// The strings of a list that holds nothing else and no empty one.
fn strings(value: &Json<'_>) -> Option<Vec<String>> {
    let Json::List(items) = value else { return None };
    items.iter().map(|item| string(item).filter(|text| !text.is_empty()).map(str::to_owned)).collect()
}

fn string<'a>(value: &'a Json<'_>) -> Option<&'a str> {
    if let Json::Text(text) = value { Some(text) } else { None }
}

/// The value as a person wrote it, more or less.
pub(super) fn shown(value: &Json<'_>) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Flag(true) => "true".to_owned(),
        Json::Flag(false) => "false".to_owned(),
        Json::Number(digits) => (*digits).to_owned(),
        Json::Text(text) => format!("\"{text}\""),
        Json::Object(_) => "an object".to_owned(),
        Json::List(items) => {
            let mut list = "[".to_owned();
            for (index, item) in items.iter().enumerate() {
                list.push_str(if index == 0 { "" } else { ", " });
                list.push_str(&shown(item));
            }
            list.push(']');
            list
        }
    }
}
