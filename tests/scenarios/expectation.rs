//! What must follow a line, against what did.

use todo_keeper::effect::{Effect, Level, Step, ToastVariant};
use todo_keeper::id::MessageId;
use todo_keeper::plugin::Plugin;

use crate::notation::{self, Words};

/// Compares a step with what a scenario expects of it at `now`.
pub(crate) fn check(follows: &str, now: u64, step: &Step, plugin: &Plugin) -> Result<(), String> {
    compare(follows, now, step, plugin).map_err(|problem| format!("{problem}\n{}", shown(step, now)))
}

fn compare(follows: &str, now: u64, step: &Step, plugin: &Plugin) -> Result<(), String> {
    let mut words = Words::of(follows)?;
    let (logs, mut effects): (Vec<&Effect>, Vec<&Effect>) =
        step.effects.iter().partition(|effect| matches!(effect, Effect::Log { .. }));
    let mut wake_at = None;
    effects.reverse();
    loop {
        let mut item = words.up_to_comma();
        let Some(kind) = item.next() else { break };
        match kind.as_str() {
            "nothing" => {}
            "wake" => wake_at = Some(notation::time(&item.expect("when")?, now)?),
            "log" => log(&mut item, &logs)?,
            "remembers" => same("remembered", &notation::number(&item.expect("how many")?)?, &plugin.remembered())?,
            _ => effect(&kind, &mut item, effects.pop())?,
        }
        item.end()?;
    }
    words.end()?;
    if let Some(more) = effects.pop() {
        return Err(format!("expected no more effects, found {more:?}"));
    }
    let found = step.wake_at.map(|at| at.0);
    if found == wake_at { Ok(()) } else { Err(format!("expected wake_at {wake_at:?}, found {found:?}")) }
}

fn effect(kind: &str, item: &mut Words, found: Option<&Effect>) -> Result<(), String> {
    match (kind, found) {
        ("fetch", Some(Effect::Fetch { request, session, history })) => {
            same("the session", &item.session(), session)?;
            same("the request", &item.request()?.unwrap_or(*request), request)?;
            let expected = item.after("history").map_or(Ok(0), |digits| notation::number::<u32>(&digits))?;
            same("the history", &expected, history)
        }
        ("scan", Some(Effect::Scan { request, session, is_report })) => {
            same("the session", &item.session(), session)?;
            same("a report", &item.flag("report"), is_report)?;
            same("the request", &item.request()?.unwrap_or(*request), request)
        }
        ("remember", Some(Effect::Remember { request, session, is_paused })) => {
            same("the session", &item.session(), session)?;
            same("the request", &item.request()?.unwrap_or(*request), request)?;
            same("a pause", &item.flag("paused"), is_paused)
        }
        ("answer", Some(Effect::Answer { session, text, identity })) => {
            same("the session", &item.session(), session)?;
            while let Some(part) = item.after("says") {
                is_in(&part, text)?;
            }
            same("the person", &notation::identity(item)?, identity)
        }
        ("prompt" | "store", Some(Effect::Prompt { request, session, text, identity, synthetic, mark, no_reply })) => {
            same("storing", &(kind == "store"), no_reply)?;
            same("the session", &item.session(), session)?;
            same("the request", &item.request()?.unwrap_or(*request), request)?;
            same("synthetic", &item.flag("synthetic"), synthetic)?;
            while let Some(part) = item.after("says") {
                is_in(&part, text)?;
            }
            while let Some(part) = item.after("lacks") {
                is_in(&part, text).map_or(Ok(()), |()| Err(format!("expected no {part:?} in {text:?}")))?;
            }
            same("the person", &notation::identity(item)?, identity)?;
            let number = notation::number::<u32>(&item.expect("the reminder's number")?)?;
            same("the reminder's number", &number, &mark.reminder)
        }
        ("unsend", Some(Effect::Unsend { session, request, message })) => {
            same("the session", &item.session(), session)?;
            same("the request", &item.request()?.unwrap_or(*request), request)?;
            same("the message", &item.next().map(MessageId), message)
        }
        ("toast", Some(Effect::Toast { variant, title, message })) => {
            let expected = if item.flag("info") {
                ToastVariant::Info
            } else if item.flag("error") {
                ToastVariant::Error
            } else {
                ToastVariant::Warning
            };
            same("the colour", &expected, variant)?;
            let text = format!("{title}\n{message}");
            std::iter::from_fn(|| item.next()).try_for_each(|part| is_in(&part, &text))
        }
        ("fetch" | "prompt" | "store" | "unsend" | "scan" | "remember" | "answer" | "toast", found) => {
            Err(format!("expected a {kind}, found {found:?}"))
        }
        (other, _) => Err(format!(
            "expected nothing, wake, fetch, prompt, store, unsend, scan, remember, answer, toast or log, found {other}"
        )),
    }
}

fn log(item: &mut Words, logs: &[&Effect]) -> Result<(), String> {
    let level = if item.flag("warn") { Some(Level::Warn) } else { None };
    let is_in_file = item.flag("file");
    let part = item.expect("a part of the line")?;
    let fits = |effect: &&Effect| {
        matches!(effect, Effect::Log { level: found, message, to_file, .. }
            if message.contains(&part) && level.is_none_or(|level| level == *found) && *to_file == is_in_file)
    };
    if logs.iter().any(fits) { Ok(()) } else { Err(format!("expected a log line with {part:?}")) }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("expected {what} {expected:?}, found {found:?}")) }
}

fn is_in(part: &str, text: &str) -> Result<(), String> {
    if text.contains(part) { Ok(()) } else { Err(format!("expected {part:?} in {text:?}")) }
}

fn shown(step: &Step, now: u64) -> String {
    let effects: Vec<String> = step.effects.iter().map(|effect| format!("  {effect:?}")).collect();
    let wake = step.wake_at.map_or_else(|| "no alarm".to_owned(), |at| format!("alarm at {} (now is {now})", at.0));
    format!("what followed, {wake}:\n{}", effects.join("\n"))
}
