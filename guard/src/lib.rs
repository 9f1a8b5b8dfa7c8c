//! The todowrite guard: which unfinished todos a new list leaves out.
//!
//! opencode's todos have no id, so the guard pairs old and new ones by their text. In doubt two texts are two tasks: a todo
//! that stands twice is a nuisance, a todo that is lost is damage.

pub mod assignment;
mod lowercase;
mod reading;
mod similarity;

use assignment::heaviest;
use lowercase::push_lowercase;
use reading::Reading;
use std::cmp::Ordering;
use std::fmt::Write as _;

pub use similarity::similarity;

/// Most pairs of reworded todos among which one call chooses, 256 by 256. What is beyond is only paired by equal text.
const MAX_PAIRS: usize = 1 << 16;
/// Most comparisons of two readings that one call makes.
const MAX_COMPARISONS: usize = 1 << 14;
/// Most todos that one line of text names.
const MAX_NAMED: usize = 20;
/// Most bytes of todo texts in one line.
const MAX_NAMED_BYTES: usize = 12_000;

/// An item of the list that the model sent, which may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent<'a> {
    /// Its text; `None` when the item is malformed, which makes it nobody's counterpart.
    pub content: Option<&'a str>,
    /// Its status; `None` when missing or malformed.
    pub status: Option<&'a str>,
}

/// A todo of the present list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed<'a> {
    /// Its text.
    pub content: &'a str,
    /// Its status.
    pub status: &'a str,
}

/// The indices of the unfinished todos of `old` that have no counterpart in `sent`, ascending.
///
/// Each old todo, finished ones too, is paired with at most one sent item and the other way round: first those of equal text,
/// then those of equal text but for white space and case, then the best overall choice among those that [`similarity()`] takes
/// for the same task. A finished todo that is left over is not missed. Among several of the same text, status decides:
///
/// 1. the same status;
/// 2. both unfinished (`pending`, `in_progress`);
/// 3. an unfinished one with a `cancelled` one, since that is how a model drops a todo;
/// 4. both finished;
/// 5. whatever is left.
///
/// So of `[A completed, A pending]` the list `[A completed]` leaves out the second, and `[A cancelled]` leaves out neither.
///
/// Takes `O(b + n log n)` for `n` todos of `b` bytes, at most 16,384 comparisons of reworded ones of at most 1,000 bytes each,
/// and `O(k³)` to choose among `k` by `k` that may all be the same task, `k` at most 256. What is beyond comes back.
#[must_use]
pub fn left_out(old: &[Listed<'_>], sent: &[Sent<'_>], is_unfinished: &dyn Fn(&str) -> bool) -> Vec<usize> {
    let texts: Vec<String>;
    let mut entries: Vec<Entry<'_>> = Vec::with_capacity(old.len().saturating_add(sent.len()));
    for todo in old {
        entries.push(Entry::new(Side::Old, entries.len(), todo.content, Some(todo.status), is_unfinished));
    }
    for item in sent {
        if let Some(content) = item.content {
            entries.push(Entry::new(Side::Sent, entries.len(), content, item.status, is_unfinished));
        }
    }
    pair_equal(&mut entries);
    let (olds, news) = entries.split_at_checked(old.len()).unwrap_or_default();
    if olds.iter().any(Entry::is_missing) && !news.iter().all(|entry| entry.is_paired) {
        texts = entries.iter().map(Entry::folded).collect();
        for (entry, text) in entries.iter_mut().zip(&texts) {
            entry.text = text;
            entry.key = key(text);
        }
        pair_equal(&mut entries);
        pair_similar(&mut entries);
    }
    (0..old.len()).zip(&entries).filter_map(|(at, entry)| entry.is_missing().then_some(at)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unfinished,
    Cancelled,
    Finished,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Old,
    Sent,
}

/// A todo of either list on its way to a counterpart.
struct Entry<'t> {
    side: Side,
    /// Index among all entries.
    place: usize,
    content: &'t str,
    /// What is compared: the content, later the folded content.
    text: &'t str,
    status: Option<&'t str>,
    kind: Kind,
    is_paired: bool,
    /// A number that is equal for what may be paired: of the text, later of the reading. Comparing numbers spares most comparisons
    /// of texts.
    key: u64,
    /// How it reads, in the last stage.
    reading: Option<Reading<'t>>,
}

impl<'t> Entry<'t> {
    fn new(
        side: Side,
        place: usize,
        content: &'t str,
        status: Option<&'t str>,
        is_unfinished: &dyn Fn(&str) -> bool,
    ) -> Self {
        let kind = match status {
            Some(status) if is_unfinished(status) => Kind::Unfinished,
            Some("cancelled") => Kind::Cancelled,
            Some(_) | None => Kind::Finished,
        };
        Self { side, place, content, text: content, status, kind, is_paired: false, key: key(content), reading: None }
    }

    /// Whether this old todo would be lost.
    fn is_missing(&self) -> bool {
        self.kind == Kind::Unfinished && !self.is_paired
    }

    fn folded(&self) -> String {
        if self.is_paired { String::new() } else { fold(self.content) }
    }
}

/// How well the status of a sent item fits an old todo of the same text, from 0 to 4 (best); see [`left_out`].
fn fit(old: &Entry<'_>, sent: &Entry<'_>) -> u8 {
    if old.status == sent.status {
        return 4;
    }
    match (old.kind, sent.kind) {
        (Kind::Unfinished, Kind::Unfinished) => 3,
        (Kind::Unfinished, Kind::Cancelled) => 2,
        (Kind::Finished | Kind::Cancelled, Kind::Finished | Kind::Cancelled) => 1,
        (Kind::Unfinished, Kind::Finished) | (Kind::Finished | Kind::Cancelled, Kind::Unfinished) => 0,
    }
}

/// Entries in an order of their own. Lists are sorted and cut into runs of equals: a map costs 5 kB of the module for each type.
type Row<'s, 't> = &'s mut Entry<'t>;

fn unpaired<'s, 't>(entries: &'s mut [Entry<'t>]) -> Vec<Row<'s, 't>> {
    entries.iter_mut().filter(|entry| !entry.is_paired).collect()
}

/// Sorts by `compare`; what is equal, old ones first and then by place.
fn sort<'t>(rows: &mut [Row<'_, 't>], compare: fn(&Entry<'t>, &Entry<'t>) -> Ordering) {
    rows.sort_unstable_by(|a, b| compare(a, b).then(a.side.cmp(&b.side)).then(a.place.cmp(&b.place)));
}

/// An order in which equal texts stand together.
fn by_text(a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
    a.key.cmp(&b.key).then_with(|| a.text.cmp(b.text))
}

/// A number that equal texts share and others seldom.
fn key(text: &str) -> u64 {
    text.bytes().fold(0, |key, byte| similarity::mix(key, byte.into()))
}

/// The old and the sent ones of sorted equals.
fn sides<'r, 's, 't>(equals: &'r mut [Row<'s, 't>]) -> (&'r mut [Row<'s, 't>], &'r mut [Row<'s, 't>]) {
    let olds = equals.partition_point(|entry| entry.side == Side::Old);
    equals.split_at_mut_checked(olds).unwrap_or_default()
}

/// Pairs entries of equal text, as many as there are on both sides: those of the same status first.
fn pair_equal(entries: &mut [Entry<'_>]) {
    let mut rows = unpaired(entries);
    sort(&mut rows, |a, b| by_text(a, b).then_with(|| a.status.cmp(&b.status)));
    for equals in rows.chunk_by_mut(|a, b| by_text(a, b).is_eq() && a.status == b.status) {
        let (olds, news) = sides(equals);
        pair_all(olds.iter_mut().zip(news.iter_mut().rev()));
    }
    rows.retain(|entry| !entry.is_paired);
    sort(&mut rows, by_text);
    for equals in rows.chunk_by_mut(|a, b| by_text(a, b).is_eq()) {
        let (olds, news) = sides(equals);
        for (is_old, is_new) in IN_ORDER {
            let olds = olds.iter_mut().filter(|entry| !entry.is_paired && is_old(entry.kind));
            let news = news.iter_mut().filter(|entry| !entry.is_paired && is_new(entry.kind));
            pair_all(olds.zip(news));
        }
    }
}

type IsKind = fn(Kind) -> bool;

/// Which kinds are paired with which, one after the other, when the statuses differ.
const IN_ORDER: [(IsKind, IsKind); 4] = [
    (|old| old == Kind::Unfinished, |new| new == Kind::Unfinished),
    (|old| old == Kind::Unfinished, |new| new == Kind::Cancelled),
    (|old| old != Kind::Unfinished, |new| new != Kind::Unfinished),
    (|_| true, |_| true),
];

fn pair_all<'r, 's: 'r, 't: 's>(pairs: impl Iterator<Item = (&'r mut Row<'s, 't>, &'r mut Row<'s, 't>)>) {
    for (old, new) in pairs {
        (old.is_paired, new.is_paired) = (true, true);
    }
}

/// Pairs what is the same task in other words: the best choice overall, not the first that fits.
fn pair_similar(entries: &mut [Entry<'_>]) {
    let mut rows = unpaired(entries);
    for entry in &mut rows {
        entry.reading = reading::read(entry.content, entry.text);
        entry.key = entry.reading.as_ref().map(similarity::key).unwrap_or_default();
    }
    rows.retain(|entry| entry.reading.is_some());
    sort(&mut rows, |a, b| a.key.cmp(&b.key));
    let (mut pairs, mut comparisons) = (MAX_PAIRS, MAX_COMPARISONS);
    for alike in rows.chunk_by_mut(|a, b| a.key == b.key) {
        let (olds, news) = sides(alike);
        let size = olds.len().saturating_mul(news.len());
        if size == 0 || size > pairs {
            continue;
        }
        let (old_sorts, new_sorts) = (Sorts::of(olds), Sorts::of(news));
        let sorts = old_sorts.firsts.len().saturating_mul(new_sorts.firsts.len());
        if sorts > comparisons {
            continue;
        }
        pairs -= size;
        comparisons -= sorts;
        let weights = weigh(olds, &old_sorts, news, &new_sorts);
        for (row, column) in heaviest(&weights, news.len()) {
            if let (Some(old), Some(new)) = (olds.get_mut(row), news.get_mut(column)) {
                (old.is_paired, new.is_paired) = (true, true);
            }
        }
    }
}

/// Rows that read the same and have the same status are of one sort: they weigh the same, and are compared once.
struct Sorts {
    /// The sort of each row.
    of_rows: Vec<usize>,
    /// A row of each sort.
    firsts: Vec<usize>,
}

impl Sorts {
    fn of(rows: &[Row<'_, '_>]) -> Self {
        let look = |index: &usize| rows.get(*index).map(|entry| (&entry.reading, entry.status));
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_unstable_by(|a, b| look(a).cmp(&look(b)));
        let (mut of_rows, mut firsts) = (vec![0; rows.len()], Vec::new());
        for equals in order.chunk_by(|a, b| look(a) == look(b)) {
            for index in equals {
                if let Some(sort) = of_rows.get_mut(*index) {
                    *sort = firsts.len();
                }
            }
            firsts.extend(equals.first());
        }
        Self { of_rows, firsts }
    }
}

/// The weight of every old row with every new one; 0 where they are different tasks.
fn weigh(olds: &[Row<'_, '_>], old_sorts: &Sorts, news: &[Row<'_, '_>], new_sorts: &Sorts) -> Vec<i64> {
    let weight = |old: usize, new: usize| {
        let (old, new) = (olds.get(old)?, news.get(new)?);
        Some(weight(similarity::compare(old.reading.as_ref()?, new.reading.as_ref()?)?, old, new))
    };
    let mut of_sorts = Vec::new();
    for &old in &old_sorts.firsts {
        for &new in &new_sorts.firsts {
            of_sorts.push(weight(old, new).unwrap_or(0));
        }
    }
    let mut of_rows = Vec::with_capacity(olds.len().saturating_mul(news.len()));
    for &old in &old_sorts.of_rows {
        for &new in &new_sorts.of_rows {
            of_rows.push(of_sorts.get(old * new_sorts.firsts.len() + new).copied().unwrap_or(0));
        }
    }
    of_rows
}

/// Similarity first, then the status. Of choices that are equal in both, the one that pairs most finished todos wins: it puts
/// more back, and a second call on its result makes the same choice.
fn weight(similarity: u32, old: &Entry<'_>, sent: &Entry<'_>) -> i64 {
    let fit = i64::from(similarity) * 8 + i64::from(fit(old, sent));
    (fit << 17) + i64::from(old.kind != Kind::Unfinished)
}

/// The text without white space around it, with single spaces inside, and case-folded: in lower case, with "ß" as "ss" and the
/// final "ς" as "σ". The rarer full foldings (ligatures, Greek with iota) are left out, as is their table.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        if word.is_ascii() {
            folded.extend(word.chars().map(|char| char.to_ascii_lowercase()));
        } else {
            word.chars().for_each(|char| fold_char(char, &mut folded));
        }
    }
    folded
}

fn fold_char(char: char, into: &mut String) {
    match char {
        'ß' | 'ẞ' => into.push_str("ss"),
        'ς' => into.push('σ'),
        _ => push_lowercase(char, into),
    }
}

/// The line that tells the model which todos were kept; `None` when none were. `contents` are single lines, made safe before.
pub fn kept_line(contents: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let (count, names) = name(contents)?;
    let (todos, them) = plural(count);
    Some(format!(
        "Kept {count} unfinished {todos} that this list left out: {names}. To drop {them}, send {them} with status `cancelled`."
    ))
}

/// The line that tells the model what its list lost, when the list could not be changed; `None` when it lost nothing.
/// `contents` are single lines, made safe before.
pub fn lost_line(contents: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let (count, names) = name(contents)?;
    let (todos, them) = plural(count);
    Some(format!(
        "This list dropped {count} unfinished {todos}, which could not be put back: {names}. Call todowrite once more with the \
         whole list and {them} in it; what will not be done, send with status `cancelled`."
    ))
}

fn plural(count: usize) -> (&'static str, &'static str) {
    if count == 1 { ("todo", "it") } else { ("todos", "them") }
}

/// Counts the texts and lists the first of them, bounded in number and in length.
fn name(contents: impl IntoIterator<Item = impl AsRef<str>>) -> Option<(usize, String)> {
    let mut list = String::new();
    let (mut count, mut named) = (0_usize, 0_usize);
    for content in contents {
        let content = content.as_ref();
        let has_room =
            named == count && named < MAX_NAMED && list.len().saturating_add(content.len()) <= MAX_NAMED_BYTES;
        count += 1;
        if has_room {
            named += 1;
            let separator = if named == 1 { "" } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(list, "{separator}\"{content}\"");
        }
    }
    match (count, count - named) {
        (0, _) => return None,
        (_, 0) => {}
        (_, more) if named == 0 => {
            let _ = write!(list, "{more} of great length");
        }
        (_, more) => {
            let _ = write!(list, " and {more} more");
        }
    }
    Some((count, list))
}
