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
const PARTIAL: &str = "\n\n(partial: not every session could be looked at)";

/// Stands above the sessions of a report.
const REPORT: &str = "\
Unfinished todos of other sessions of this directory, latest first. They are not in this session's todo list; what is to be \
taken over has to be added to it with todowrite.
";

/// A report of nothing, around how many sessions are looked at.
const NONE: [&str; 2] =
    ["No unfinished todos in the latest ", " other sessions of this directory (option orphanScanLimit)."];

/// A report when nothing could be asked.
const UNKNOWN: &str = "It could not be found out: opencode did not name its sessions.";

/// Another session. One that came malformed is as the default: left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The session.
    pub session: SessionId,
    /// Its title. Untrusted.
    pub title: String,
    /// When it was last touched, in minutes since the Unix epoch.
    pub touched: u32,
    /// Whether it is archived, a subagent's, or not known well enough.
    pub is_left_out: bool,
    /// All its todos, once they were asked for.
    pub todos: Vec<Todo>,
}

impl Default for Other {
    fn default() -> Self {
        let (session, title) = (SessionId(String::new()), String::new());
        Self { session, title, touched: 0, is_left_out: true, todos: Vec::new() }
    }
}

/// The places in the host's list of the sessions to look at, latest first.
#[must_use]
pub fn candidates(listed: &[Other], limit: u32, is_busy: &dyn Fn(&SessionId) -> bool) -> Vec<u32> {
    let touched = |place: u32| listed.get(place as usize).map(|other| other.touched);
    let mut places: Vec<u32> = Vec::new();
    for (place, other) in (0..).zip(listed) {
        if !other.is_left_out && !is_busy(&other.session) {
            // The host lists the latest first, so that each goes to the end; a sort would be 2 kB of the module.
            let at = places.partition_point(|earlier| touched(*earlier) >= Some(other.touched));
            places.insert(at, place);
        }
    }
    places.truncate(limit as usize);
    places
}

/// What is said of the sessions `found`, latest first. In a reminder (`is_report` is `false`) a table with a blank line before
/// it, or nothing when nothing is left anywhere; `None` when that is not known. As the answer of the tool `todo_orphans` a
/// report with each todo. `found` is `None` when the host did not name its sessions.
#[must_use]
pub fn text(
    options: &Options,
    found: Option<&[Other]>,
    is_partial: bool,
    now: Millis,
    is_report: bool,
) -> Option<String> {
    let Some(found) = found else {
        return is_report.then(|| UNKNOWN.to_owned());
    };
    let mut text = rows(options, found, now, is_report);
    if text.is_empty() {
        if is_report {
            let [before, after] = NONE;
            for piece in [before, &options.orphan_scan_limit.to_string(), after] {
                text.push_str(piece);
            }
        } else if is_partial {
            return None;
        }
    }
    if is_partial {
        text.push_str(PARTIAL);
    }
    Some(text)
}

/// A line for each session with unfinished todos, below what is to be known of them, and the todos too in a report.
fn rows(options: &Options, found: &[Other], now: Millis, is_report: bool) -> String {
    let mut text = String::new();
    for other in found {
        let open = policy::unfinished(options, &other.todos);
        if open == 0 {
            continue;
        }
        if text.is_empty() {
            text.push_str(if is_report { REPORT } else { HEADING });
        }
        let (session, title) = (text::one_line(&other.session.0), text::one_line(&other.title));
        let (count, unit) = ago((now.0 / 60_000).saturating_sub(other.touched.into()));
        for piece in ["\n", &session, " - ", &open.to_string(), " open: \"", &title, "\", touched ", &count, unit] {
            text.push_str(piece);
        }
        for todo in other.todos.iter().filter(|todo| is_report && options.is_unfinished(&todo.status)) {
            for piece in ["\n- [", &text::one_line(&todo.status), "] ", &text::one_line(&todo.content)] {
                text.push_str(piece);
            }
        }
    }
    text
}

/// How long ago something was: a count, when there is something to count, and its unit.
fn ago(minutes: u64) -> (String, &'static str) {
    let (count, one, several) = match minutes {
        0 => return (String::new(), "just now"),
        1..60 => (minutes, " minute ago", " minutes ago"),
        60..1_440 => (minutes / 60, " hour ago", " hours ago"),
        _ => (minutes / 1_440, " day ago", " days ago"),
    };
    (count.to_string(), if count == 1 { one } else { several })
}

#[cfg(test)]
mod tests;
