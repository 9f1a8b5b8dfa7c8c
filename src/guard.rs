//! The todowrite guard: which unfinished todos a new list leaves out.
//!
//! opencode's todos have no id, so the guard pairs old and new ones by their text. In doubt two texts are two tasks: a todo
//! that stands twice is a nuisance, a todo that is lost is damage.

pub mod assignment;
mod reading;
mod similarity;

use crate::todo::Todo;
use assignment::heaviest;
use reading::Reading;
use std::collections::BTreeMap;
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

/// The unfinished todos of `old` that have no counterpart in `sent`, in their old order.
///
/// Each old todo, finished ones too, is paired with at most one sent item and the other way round: first those of equal text,
/// then those of equal text but for white space and case, then the best overall choice among those that [`similarity`] takes
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
pub fn left_out<'a>(old: &'a [Todo], sent: &[Sent<'_>], is_unfinished: impl Fn(&str) -> bool) -> Vec<&'a Todo> {
    let texts: Vec<String>;
    let mut olds: Vec<Entry<'_>> =
        old.iter().map(|todo| Entry::new(&todo.content, Some(&todo.status), &is_unfinished)).collect();
    let mut news: Vec<Entry<'_>> =
        sent.iter().filter_map(|item| Some(Entry::new(item.content?, item.status, &is_unfinished))).collect();
    pair_equal(&mut olds, &mut news);
    if olds.iter().any(Entry::is_missing) && !news.iter().all(|entry| entry.is_paired) {
        texts = olds.iter().chain(&news).map(Entry::folded).collect();
        for (entry, text) in olds.iter_mut().chain(&mut news).zip(&texts) {
            entry.text = text;
        }
        pair_equal(&mut olds, &mut news);
        pair_similar(&mut olds, &mut news);
    }
    old.iter().zip(&olds).filter_map(|(todo, entry)| entry.is_missing().then_some(todo)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unfinished,
    Cancelled,
    Finished,
}

/// A todo of either list on its way to a counterpart.
struct Entry<'t> {
    content: &'t str,
    /// What is compared: the content, later the folded content.
    text: &'t str,
    status: Option<&'t str>,
    kind: Kind,
    is_paired: bool,
}

impl<'t> Entry<'t> {
    fn new(content: &'t str, status: Option<&'t str>, is_unfinished: &impl Fn(&str) -> bool) -> Self {
        let kind = match status {
            Some(status) if is_unfinished(status) => Kind::Unfinished,
            Some("cancelled") => Kind::Cancelled,
            Some(_) | None => Kind::Finished,
        };
        Self { content, text: content, status, kind, is_paired: false }
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

/// The entries of both sides that have something in common.
type Group<'s, 't> = (Vec<&'s mut Entry<'t>>, Vec<&'s mut Entry<'t>>);

/// Pairs entries of equal text, as many as there are on both sides.
fn pair_equal<'t>(olds: &mut [Entry<'t>], news: &mut [Entry<'t>]) {
    let mut groups: BTreeMap<&str, Group<'_, 't>> = BTreeMap::new();
    for entry in olds.iter_mut().filter(|entry| !entry.is_paired) {
        groups.entry(entry.text).or_default().0.push(entry);
    }
    for entry in news.iter_mut().filter(|entry| !entry.is_paired) {
        if let Some((_, news)) = groups.get_mut(entry.text) {
            news.push(entry);
        }
    }
    for (mut olds, mut news) in groups.into_values() {
        if let ([old], [new]) = (olds.as_mut_slice(), news.as_mut_slice()) {
            (old.is_paired, new.is_paired) = (true, true);
        } else if !news.is_empty() {
            pair_by_status(&mut olds, &mut news);
        }
    }
}

fn pair_by_status(olds: &mut [&mut Entry<'_>], news: &mut [&mut Entry<'_>]) {
    let mut by_status: BTreeMap<Option<&str>, Vec<&mut Entry<'_>>> = BTreeMap::new();
    for new in news.iter_mut() {
        by_status.entry(new.status).or_default().push(new);
    }
    for old in olds.iter_mut() {
        if let Some(new) = by_status.get_mut(&old.status).and_then(Vec::pop) {
            (old.is_paired, new.is_paired) = (true, true);
        }
    }
    let is_unfinished = |kind| kind == Kind::Unfinished;
    let is_cancelled = |kind| kind == Kind::Cancelled;
    let is_finished = |kind| kind != Kind::Unfinished;
    pair_in_order(olds, news, is_unfinished, is_unfinished);
    pair_in_order(olds, news, is_unfinished, is_cancelled);
    pair_in_order(olds, news, is_finished, is_finished);
    pair_in_order(olds, news, |_| true, |_| true);
}

fn pair_in_order(
    olds: &mut [&mut Entry<'_>],
    news: &mut [&mut Entry<'_>],
    is_old: impl Fn(Kind) -> bool,
    is_new: impl Fn(Kind) -> bool,
) {
    let olds = olds.iter_mut().filter(|entry| !entry.is_paired && is_old(entry.kind));
    let news = news.iter_mut().filter(|entry| !entry.is_paired && is_new(entry.kind));
    for (old, new) in olds.zip(news) {
        (old.is_paired, new.is_paired) = (true, true);
    }
}

/// Pairs what is the same task in other words: the best choice overall, not the first that fits.
fn pair_similar<'t>(olds: &mut [Entry<'t>], news: &mut [Entry<'t>]) {
    let mut groups: BTreeMap<u64, (Vec<Row<'_, 't>>, Vec<Row<'_, 't>>)> = BTreeMap::new();
    for row in rows(olds) {
        groups.entry(similarity::key(&row.0)).or_default().0.push(row);
    }
    for row in rows(news) {
        if let Some((_, news)) = groups.get_mut(&similarity::key(&row.0)) {
            news.push(row);
        }
    }
    let (mut pairs, mut comparisons) = (MAX_PAIRS, MAX_COMPARISONS);
    for (olds, news) in groups.values_mut().filter(|(_, news)| !news.is_empty()) {
        let size = olds.len().saturating_mul(news.len());
        if size > pairs {
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
            if let (Some((_, old)), Some((_, new))) = (olds.get_mut(row), news.get_mut(column)) {
                (old.is_paired, new.is_paired) = (true, true);
            }
        }
    }
}

/// An entry on its way through the last stage, and how it reads.
type Row<'s, 't> = (Reading<'t>, &'s mut Entry<'t>);

fn rows<'s, 't>(entries: &'s mut [Entry<'t>]) -> impl Iterator<Item = Row<'s, 't>> {
    let unpaired = entries.iter_mut().filter(|entry| !entry.is_paired);
    unpaired.filter_map(|entry| Some((reading::read(entry.content, entry.text)?, entry)))
}

/// Rows that read the same and have the same status are of one sort: they weigh the same, and are compared once.
struct Sorts {
    /// The sort of each row.
    of_rows: Vec<usize>,
    /// The first row of each sort.
    firsts: Vec<usize>,
}

impl Sorts {
    fn of(rows: &[Row<'_, '_>]) -> Self {
        let mut known = BTreeMap::new();
        let mut firsts = Vec::new();
        let sort = |(index, row)| {
            let (reading, entry): &Row<'_, '_> = row;
            *known.entry((reading, entry.status)).or_insert_with(|| {
                firsts.push(index);
                firsts.len() - 1
            })
        };
        let of_rows = rows.iter().enumerate().map(sort).collect();
        Self { of_rows, firsts }
    }
}

/// The weight of every old row with every new one; 0 where they are different tasks.
fn weigh(olds: &[Row<'_, '_>], old_sorts: &Sorts, news: &[Row<'_, '_>], new_sorts: &Sorts) -> Vec<i64> {
    let weight = |old: usize, new: usize| {
        let ((old_reading, old), (new_reading, new)) = (olds.get(old)?, news.get(new)?);
        Some(weight(similarity::compare(old_reading, new_reading)?, old, new))
    };
    let of_sorts: Vec<Vec<i64>> = old_sorts
        .firsts
        .iter()
        .map(|&old| new_sorts.firsts.iter().map(|&new| weight(old, new).unwrap_or(0)).collect())
        .collect();
    let of_rows = old_sorts.of_rows.iter().filter_map(|&sort| of_sorts.get(sort));
    of_rows.flat_map(|of_sort| new_sorts.of_rows.iter().map(|&sort| of_sort.get(sort).copied().unwrap_or(0))).collect()
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
        _ => into.extend(char.to_lowercase()),
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
