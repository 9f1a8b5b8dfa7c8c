//! Work left behind in other sessions of the project (R10): which sessions are looked at, and what is said of them.

use crate::id::SessionId;
use crate::options::Options;
use crate::policy;
use crate::text;
use crate::time::Millis;
use crate::todo::Todo;

/// Stands above the table in a reminder.
const HEADING: &str = "\n
For information only: other sessions of this directory have unfinished todos. They belong to those sessions and are not part \
of this list.
";

/// Ends what is not the whole truth.
const PARTIAL: &str = "\n\n(partial: opencode did not tell about every session in time)";

/// Stands above the sessions of a report.
const REPORT: &str = "\
Unfinished todos of other sessions of this directory, latest first. They are not in this session's todo list; what is to be \
taken over has to be added to it with todowrite.
";

/// A report of nothing.
const NONE: &str = "No other session of this directory has unfinished todos.";

/// A report when nothing could be asked.
const UNKNOWN: &str = "It could not be found out: opencode did not name its sessions.";

/// A session as the host lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The session.
    pub session: SessionId,
    /// When it was last touched.
    pub updated: Millis,
    /// Whether it is archived or a subagent's.
    pub is_left_out: bool,
}

/// Another session and its todos.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// The session.
    pub session: SessionId,
    /// Its title. Untrusted.
    pub title: String,
    /// When it was last touched.
    pub updated: Millis,
    /// All its todos.
    pub todos: Vec<Todo>,
}

/// The places in the host's list of the sessions to look at, latest first. What came malformed is `None` there.
#[must_use]
pub fn candidates(listed: &[Option<Listed>], limit: u32, is_busy: &dyn Fn(&SessionId) -> bool) -> Vec<u32> {
    let updated = |place: u32| listed.get(place as usize)?.as_ref().map(|listed| listed.updated);
    let mut places: Vec<u32> = Vec::new();
    for (place, listed) in (0..).zip(listed) {
        let Some(listed) = listed.as_ref().filter(|listed| !listed.is_left_out && !is_busy(&listed.session)) else {
            continue;
        };
        // The host lists the latest first, so that each goes to the end; a sort would be 2 kB of the module.
        let at = places.partition_point(|earlier| updated(*earlier) >= Some(listed.updated));
        places.insert(at, place);
    }
    places.truncate(limit as usize);
    places
}

/// What a reminder says of the sessions `found`, latest first, with a blank line before it: nothing when nothing is left.
/// `None` when that is not known: the scan was too slow to find anything.
#[must_use]
pub fn table(options: &Options, found: Option<&[Orphan]>, is_partial: bool, now: Millis) -> Option<String> {
    let text = text(options, found?, now, false);
    if text.is_empty() && is_partial { None } else { Some(with_partial(text, is_partial)) }
}

/// What the tool `todo_orphans` answers. `found` is `None` when the host did not name the sessions.
#[must_use]
pub fn report(options: &Options, found: Option<&[Orphan]>, is_partial: bool, now: Millis) -> String {
    let Some(found) = found else { return UNKNOWN.to_owned() };
    let text = text(options, found, now, true);
    with_partial(if text.is_empty() { NONE.to_owned() } else { text }, is_partial)
}

/// A line for each session with unfinished todos, below what is to be known of them, and the todos too in a report. Empty
/// when there are none.
fn text(options: &Options, found: &[Orphan], now: Millis, is_report: bool) -> String {
    let mut text = String::new();
    for orphan in found {
        let open = policy::unfinished(options, &orphan.todos);
        if open == 0 {
            continue;
        }
        if text.is_empty() {
            text.push_str(if is_report { REPORT } else { HEADING });
        }
        let (session, title) = (text::one_line(&orphan.session.0), text::one_line(&orphan.title));
        let touched = ago(now.0.saturating_sub(orphan.updated.0));
        for piece in ["\n", &session, " - ", &open.to_string(), " open: \"", &title, "\", touched ", &touched] {
            text.push_str(piece);
        }
        let listed = if is_report { orphan.todos.as_slice() } else { &[] };
        for todo in listed.iter().filter(|todo| options.is_unfinished(&todo.status)) {
            for piece in ["\n- [", &text::one_line(&todo.status), "] ", &text::one_line(&todo.content)] {
                text.push_str(piece);
            }
        }
    }
    text
}

fn with_partial(mut text: String, is_partial: bool) -> String {
    if is_partial {
        text.push_str(PARTIAL);
    }
    text
}

/// How long ago something was that is `age` milliseconds old.
fn ago(age: u64) -> String {
    let (count, unit) = match age / 60_000 {
        0 => return "just now".to_owned(),
        minutes @ 1..60 => (minutes, " minute"),
        minutes @ 60..1_440 => (minutes / 60, " hour"),
        minutes => (minutes / 1_440, " day"),
    };
    [count.to_string().as_str(), unit, if count == 1 { " ago" } else { "s ago" }].concat()
}

#[cfg(test)]
mod tests;
