//! One field of the options: its name, what it may hold, and where it goes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Options;

/// Every option's name, as a person writes it.
pub(super) const NAMES: [&str; 11] = [
    "enabled",
    "triggerStatuses",
    "maxAutoSubmitsPerTodo",
    "maxRemindersPerMessage",
    "idleDelayMs",
    "messageFormat",
    "inProgressMessageFormat",
    "useToasts",
    "skipAgents",
    "syntheticPrompt",
    "debug",
];

/// Why a field was not taken.
pub(super) enum Rejected {
    /// There is no such option.
    Unknown,
    /// The value is not of the kind that this text names.
    Expected(&'static str),
}

/// Puts `value` into the field called `name`; leaves the options as they are when it does not fit.
pub(super) fn set(options: &mut Options, name: &str, value: &Value) -> Result<(), Rejected> {
    match name {
        "enabled" => options.enabled = boolean(value)?,
        "triggerStatuses" => options.trigger_statuses = statuses(value)?,
        "maxAutoSubmitsPerTodo" => options.max_auto_submits_per_todo = up_to_a_thousand(value)?,
        "maxRemindersPerMessage" => options.max_reminders_per_message = up_to_a_thousand(value)?,
        "idleDelayMs" => options.idle_delay_ms = up_to_an_hour(value)?,
        "messageFormat" => options.message_format = format(value)?,
        "inProgressMessageFormat" => options.in_progress_message_format = format(value)?,
        "useToasts" => options.use_toasts = boolean(value)?,
        "skipAgents" => options.skip_agents = agents(value)?,
        "syntheticPrompt" => options.synthetic_prompt = boolean(value)?,
        "debug" => options.debug = boolean(value)?,
        _ => return Err(Rejected::Unknown),
    }
    Ok(())
}

fn boolean(value: &Value) -> Result<bool, Rejected> {
    value.as_bool().ok_or(Rejected::Expected("true or false"))
}

fn up_to_a_thousand(value: &Value) -> Result<u32, Rejected> {
    const EXPECTED: Rejected = Rejected::Expected("a whole number from 0 to 1000");
    whole_number(value, 1_000).and_then(|number| u32::try_from(number).ok()).ok_or(EXPECTED)
}

fn up_to_an_hour(value: &Value) -> Result<u64, Rejected> {
    whole_number(value, 3_600_000).ok_or(Rejected::Expected("a whole number of milliseconds from 0 to 3600000"))
}

/// The number in `value` when it is whole and from 0 to `most`. `500.0` and `5e2` are whole, as in a JSON Schema.
fn whole_number(value: &Value, most: u32) -> Option<u64> {
    let number = value.as_f64()?;
    let fits = number.fract() == 0.0 && number >= 0.0 && number <= f64::from(most);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within 0 to `most`")]
    fits.then_some(number as u64)
}

fn format(value: &Value) -> Result<String, Rejected> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or(Rejected::Expected("a text that is not empty"))
}

fn agents(value: &Value) -> Result<BTreeSet<String>, Rejected> {
    strings(value).ok_or(Rejected::Expected("a list of agents' names"))
}

fn statuses(value: &Value) -> Result<BTreeSet<String>, Rejected> {
    let open = |statuses: &BTreeSet<String>| !statuses.contains("completed") && !statuses.contains("cancelled");
    strings(value).filter(open).ok_or(Rejected::Expected("a list of statuses other than completed and cancelled"))
}

/// The strings of a list that holds nothing else and no empty one.
fn strings(value: &Value) -> Option<BTreeSet<String>> {
    let string = |item: &Value| item.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    value.as_array()?.iter().map(string).collect()
}
