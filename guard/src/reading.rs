//! How the guard reads a todo: the words that matter, in one order for the usual ways to put the same task.
//!
//! "Write tests for the parser", "Parser: write tests" and "- [ ] **Write** parser tests." all read `write parser tests`.
//! "Write parser docs", "Write parser for tests" and "Don't write parser tests" do not.

mod arrangement;
mod packed;

use arrangement::arrange;
pub(super) use arrangement::verb;
use packed::{Packed, words};

/// Texts longer than this many bytes are not read.
pub(super) const MAX_BYTES: usize = 1_000;

/// One word that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word<'t> {
    /// The word, case-folded.
    pub(super) text: &'t str,
    /// The same as a number, if it has one.
    pub(super) packed: Packed,
    /// Whether it is an ordinary word of ASCII letters, in which a slip of the pen can be told; not a name, path or number.
    pub(super) is_plain: bool,
}

/// What may be added to a todo or left out without making it another task, but may not be changed.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Marks<'t> {
    /// The number in front, as in `2. Run tests`.
    pub(super) number: Option<&'t str>,
    /// A ticket in front, in brackets or at the end, as in `Fix login bug (#12)`.
    pub(super) ticket: Option<&'t str>,
    /// A pictogram in front or at the end.
    pub(super) pictogram: Option<&'t str>,
}

/// A todo as the guard reads it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reading<'t> {
    /// The words, verb first, then what stands before the head noun, then the rest.
    pub(super) words: Vec<Word<'t>>,
    /// Index in `words` of the noun that the task is about, the only one whose plural does not matter.
    pub(super) head: usize,
    /// Numbering, ticket, pictogram.
    pub(super) marks: Marks<'t>,
}

/// Reads a text; `folded` is the same text after [`super::fold`]. `None` when it is too long or has no words.
pub(super) fn read<'t>(raw: &'t str, folded: &'t str) -> Option<Reading<'t>> {
    if folded.len() > MAX_BYTES || raw.len() > 2 * MAX_BYTES {
        return None;
    }
    let mut scan = Scan { pieces: Vec::with_capacity(16), marks: Marks::default() };
    for (raw, folded) in raw.split_whitespace().zip(folded.split(' ')) {
        scan.chunk(raw, folded);
    }
    scan.take_end_marks();
    let Scan { pieces, marks, .. } = scan;
    let (words, head) = arrange(&pieces);
    (!words.is_empty()).then_some(Reading { words, head, marks })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'t> {
    /// A word, and whether it can be an article or a preposition.
    Word(Word<'t>, bool),
    /// A pictogram that stands alone.
    Pictogram(&'t str),
    /// A ticket such as `#12`, and whether it is in brackets.
    Ticket(&'t str, bool),
    /// A colon or a dash between two parts.
    Break,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
}

#[derive(Default)]
struct Scan<'t> {
    pieces: Vec<Piece<'t>>,
    marks: Marks<'t>,
}

const BULLETS: [&str; 10] = ["-", "*", "+", "•", "–", "—", "[", "]", "[]", "[x]"];
const DASHES: [&str; 4] = ["-", "–", "—", "--"];
const OPENERS: &[char] =
    &['"', '\'', '`', '*', '(', '[', '{', '“', '”', '„', '‘', '’', '«', '»', '「', '『', '（', '【'];
const CLOSERS: &[char] = &[
    '"', '\'', '`', '*', ')', ']', '}', '“', '”', '‘', '’', '«', '»', '」', '』', '）', '】', '.', ',', ';', ':', '!',
    '?', '…', '。', '，', '、', '：', '；', '！', '？',
];

impl<'t> Scan<'t> {
    /// Takes what stands between two spaces.
    fn chunk(&mut self, raw: &'t str, folded: &'t str) {
        if folded.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            self.pieces.push(word(raw, folded, false));
            return;
        }
        if self.pieces.is_empty() && self.is_leading_sign(folded) {
            return;
        }
        if DASHES.contains(&folded) {
            self.pieces.push(Piece::Break);
            return;
        }
        if is_pictogram(folded) {
            self.pieces.push(Piece::Pictogram(folded));
            return;
        }
        let raw_start = raw.trim_start_matches(OPENERS);
        let start = folded.trim_start_matches(OPENERS);
        let (raw_core, core) = (raw_start.trim_end_matches(CLOSERS), start.trim_end_matches(CLOSERS));
        let opening = folded.strip_suffix(start).unwrap_or_default();
        let closing = start.strip_prefix(core).unwrap_or_default();
        if core.is_empty() && !matches!(folded, "(" | ")" | ":" | "," | "." | "**") {
            // Signs alone may be what the task is about: `[]`, `{}`, `?`.
            self.pieces.push(word(raw, folded, true));
            return;
        }
        let is_bracketed = opening.contains(['(', '[', '（', '【']);
        if is_bracketed {
            self.pieces.push(Piece::Open);
        }
        if is_ticket(raw_core) && (is_bracketed || core.starts_with('#') || self.pieces.is_empty()) {
            self.pieces.push(Piece::Ticket(core, is_bracketed));
        } else if !core.is_empty() {
            let is_quoted = opening.contains('`') || closing.contains('`');
            self.words(raw_core, core, is_quoted);
        }
        if closing.contains([')', ']', '）', '】']) {
            self.pieces.push(Piece::Close);
        }
        if closing.ends_with([':', '：']) || folded == ":" {
            self.pieces.push(Piece::Break);
        }
    }

    /// Bullets, boxes, headings and numbers in front.
    fn is_leading_sign(&mut self, folded: &'t str) -> bool {
        if BULLETS.contains(&folded) || folded.bytes().all(|byte| byte == b'#') {
            return true;
        }
        let number = folded.trim_start_matches('(').trim_end_matches(['.', ')', ':']);
        let is_number = self.marks.number.is_none()
            && folded.ends_with(['.', ')', ':'])
            && (1..=3).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            self.marks.number = Some(number);
        }
        is_number
    }

    /// Splits at commas and between the characters of scripts that are written without spaces.
    fn words(&mut self, raw: &'t str, folded: &'t str, is_quoted: bool) {
        const COMMAS: &[char] = &[',', ';', '，', '、', '；', '：', '。', '（', '）'];
        if folded.is_ascii() && !folded.contains([',', ';']) {
            self.pieces.push(word(raw, folded, is_quoted));
            return;
        }
        // Both have the same separators; when folding moved them, the folded text serves as both.
        let parts = folded.split(COMMAS);
        let raw_parts = raw.split(COMMAS).chain(std::iter::repeat(""));
        for (part, raw_part) in parts.zip(raw_parts) {
            if part.chars().any(is_spaceless) {
                let cuts = cuts(part);
                let ends = cuts.iter().skip(1);
                for piece in cuts.iter().zip(ends).filter_map(|(&a, &b)| part.get(a..b)) {
                    if !matches!(piece, "的" | "の") {
                        self.pieces.push(word(piece, piece, true));
                    }
                }
            } else if !part.is_empty() {
                self.pieces.push(word(raw_part, part, is_quoted));
            }
        }
    }

    /// Takes pictograms and tickets off both ends, where they are marks and not words.
    fn take_end_marks(&mut self) {
        if matches!(self.pieces.last(), Some(Piece::Word(word, _)) if matches!(word.text, "!" | "?")) {
            self.pieces.pop();
        }
        while let Some(Piece::Pictogram(sign)) = self.pieces.first().copied() {
            if self.marks.pictogram.replace(sign).is_some_and(|old| old != sign) {
                break;
            }
            self.pieces.remove(0);
        }
        if let (Some(Piece::Pictogram(sign)), None) = (self.pieces.last(), self.marks.pictogram) {
            self.marks.pictogram = Some(sign);
            self.pieces.pop();
        }
        let last = self.pieces.len().saturating_sub(1);
        let place = self.pieces.iter().enumerate().position(|(index, piece)| {
            matches!(piece, Piece::Ticket(_, is_bracketed) if *is_bracketed || index == 0 || index == last)
        });
        if let Some(place) = place
            && let Piece::Ticket(ticket, _) = self.pieces.remove(place)
        {
            self.marks.ticket = Some(ticket);
        }
    }
}

fn word<'t>(raw: &str, folded: &'t str, is_quoted: bool) -> Piece<'t> {
    let text = folded.strip_suffix("'s").or_else(|| folded.strip_suffix("’s")).unwrap_or(folded);
    let (text, packed) = full_form(text);
    let is_plain = !is_quoted
        && text.bytes().all(|byte| byte.is_ascii_lowercase())
        && !raw.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    // A capital "A" that is not the first word is a name, as in "plan A".
    let is_small = !is_quoted && (raw != "A" || text != "a");
    Piece::Word(Word { text, packed, is_plain }, is_small)
}

/// The long form of a word, and its number.
fn full_form(word: &str) -> (&str, Packed) {
    const SHORT: [Packed; 16] = words![
        "&" "app" "args" "back-end" "config" "db" "deps" "dir" "docs" "e-mail" "end-to-end" "env" "front-end" "params"
        "re-run" "repo"
    ];
    const LONG: [&str; 16] = [
        "and",
        "application",
        "arguments",
        "backend",
        "configuration",
        "database",
        "dependencies",
        "directory",
        "documentation",
        "email",
        "e2e",
        "environment",
        "frontend",
        "parameters",
        "rerun",
        "repository",
    ];
    let packed = Packed::of(word);
    match SHORT.iter().zip(LONG).find(|(short, _)| **short == packed) {
        Some((_, long)) => (long, Packed::of(long)),
        None => (word, packed),
    }
}

/// `#12` or `ABC-123`, but not the name of a standard such as `SHA-256`.
fn is_ticket(raw: &str) -> bool {
    const STANDARDS: [&str; 20] = [
        "UTF", "SHA", "ISO", "RFC", "AES", "RSA", "GPT", "ES", "CVE", "ECMA", "PEP", "HTTP", "TLS", "UCS", "UAX", "GB",
        "IEEE", "EC", "USB", "CWE",
    ];
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(number) = raw.strip_prefix('#') {
        return is_digits(number);
    }
    raw.split_once('-').is_some_and(|(project, number)| {
        project.len() > 1
            && project.bytes().all(|byte| byte.is_ascii_uppercase())
            && !STANDARDS.contains(&project)
            && is_digits(number)
    })
}

fn is_pictogram(text: &str) -> bool {
    text.chars()
        .all(|char| matches!(char, '\u{2300}'..='\u{2bff}' | '\u{fe0f}' | '\u{200d}' | '\u{1f000}'..='\u{1faff}'))
}

/// Han, Hiragana and Katakana.
fn is_spaceless(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Where to cut so that each character of a script without spaces stands alone.
fn cuts(text: &str) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut was_spaceless = true;
    for (index, char) in text.char_indices() {
        let is_spaceless = is_spaceless(char);
        if is_spaceless || was_spaceless {
            cuts.push(index);
        }
        was_spaceless = is_spaceless;
    }
    cuts.push(text.len());
    cuts
}
