//! Work left behind in other sessions of the project (R10): which sessions are looked at, and what is said of them.

use std::cmp::Reverse;

use crate::id::SessionId;
use crate::options::Options;
use crate::text;
use crate::time::Millis;
use crate::todo::Todo;

/// Stands above the table in a reminder.
const HEADING: &str = "\n
For information only: other sessions of this directory have unfinished todos. They belong to those sessions and are not part \
of this list.
";

/// Ends what is not the whole truth.
const PARTIAL: &str = "(partial: opencode did not tell about every session in time)";

/// Stands above the sessions of a report.
const REPORT: &str = "\
Unfinished todos of other sessions of this directory, latest first. They are not in this session's todo list; what is to be \
taken over has to be added to it with todowrite.
";

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
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
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
pub fn candidates(listed: &[Option<Listed>], limit: u32, is_busy: impl Fn(&SessionId) -> bool) -> Vec<u32> {
    let is_wanted = |listed: &Listed| !listed.is_left_out && !is_busy(&listed.session);
    let mut places: Vec<(Reverse<Millis>, u32)> = (0..)
        .zip(listed)
        .filter_map(|(place, listed)| Some((place, listed.as_ref().filter(|listed| is_wanted(listed))?)))
        .map(|(place, listed)| (Reverse(listed.updated), place))
        .collect();
    places.sort_unstable();
    places.truncate(limit.try_into().unwrap_or(usize::MAX));
    places.into_iter().map(|(_, place)| place).collect()
}

/// What a reminder says of other sessions, with a blank line before it; empty when nothing is left anywhere.
#[must_use]
pub fn table(options: &Options, found: &[Orphan], is_partial: bool, now: Millis) -> String {
    let rows = rows(options, found, now, &|_| String::new());
    if rows.is_empty() { rows } else { with_partial([HEADING, &rows].concat(), is_partial) }
}

/// What the tool `todo_orphans` answers. `found` is `None` when the host did not name the sessions.
#[must_use]
pub fn report(options: &Options, found: Option<&[Orphan]>, is_partial: bool, now: Millis) -> String {
    let Some(found) = found else {
        return "It could not be found out: opencode did not name its sessions.".to_owned();
    };
    let rows = rows(options, found, now, &|todos| list(options, todos));
    let report = if rows.is_empty() {
        "No other session of this directory has unfinished todos.".to_owned()
    } else {
        [REPORT, &rows].concat()
    };
    with_partial(report, is_partial)
}

/// A line for each session with unfinished todos, latest first, and what `below` makes of its todos.
fn rows(options: &Options, found: &[Orphan], now: Millis, below: &dyn Fn(&[Todo]) -> String) -> String {
    let mut left: Vec<(&Orphan, usize)> = found.iter().map(|orphan| (orphan, open(options, orphan))).collect();
    left.retain(|(_, open)| *open > 0);
    left.sort_unstable_by_key(|(orphan, _)| (Reverse(orphan.updated), &orphan.session));
    let row = |(orphan, open): &(&Orphan, usize)| {
        let (session, title) = (text::one_line(&orphan.session.0), text::one_line(&orphan.title));
        let touched = ago(now.0.saturating_sub(orphan.updated.0));
        format!("\n{session} - {open} open: \"{title}\", touched {touched}{}", below(&orphan.todos))
    };
    left.iter().map(row).collect()
}

fn open(options: &Options, orphan: &Orphan) -> usize {
    orphan.todos.iter().filter(|todo| options.is_unfinished(&todo.status)).count()
}

/// The unfinished ones of `todos`, each on a line of its own.
fn list(options: &Options, todos: &[Todo]) -> String {
    let unfinished = todos.iter().filter(|todo| options.is_unfinished(&todo.status));
    unfinished
        .map(|todo| ["\n- [", &text::one_line(&todo.status), "] ", &text::one_line(&todo.content)].concat())
        .collect()
}

fn with_partial(mut text: String, is_partial: bool) -> String {
    if is_partial {
        text.push_str("\n\n");
        text.push_str(PARTIAL);
    }
    text
}

/// How long ago something was that is `age` milliseconds old.
fn ago(age: u64) -> String {
    let (count, unit) = match age / 60_000 {
        0 => return "just now".to_owned(),
        minutes @ 1..60 => (minutes, "minute"),
        minutes @ 60..1_440 => (minutes / 60, "hour"),
        minutes => (minutes / 1_440, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} ago")
}

#[cfg(test)]
mod tests;
