//! Whether two todos are the same task in other words.
//!
//! Edit distances and word overlaps cannot tell "Update v1 docs" from "Update v2 docs" while they still see that "Write
//! tests for the parser" is "Write parser tests": `tests/guard_similarity.rs` measures some. So two texts are the same task
//! only if they read the same, word by word, but for one small difference that a rewording makes and another task does not.

use super::fold;
use super::reading::{Marks, Reading, Word, read, verb};

/// How alike two texts are as tasks, from 1 (barely) to 100 (they read the same), or `None` when they are different tasks.
#[must_use]
pub fn similarity(a: &str, b: &str) -> Option<u32> {
    let (folded_a, folded_b) = (fold(a), fold(b));
    let (a, b) = (read(a, &folded_a)?, read(b, &folded_b)?);
    compare(&a, &b)
}

/// A number that is equal for any two readings that [`compare`] may find alike, and seldom for others.
pub(super) fn key(reading: &Reading<'_>) -> u64 {
    let mut key = reading.words.len() as u64;
    for word in reading.words.iter().skip(1) {
        key = if word.text.len() > 2 && word.text.bytes().all(|byte| byte.is_ascii_lowercase()) {
            mix(key, u64::from(consonants(word.text)))
        } else {
            word.text.bytes().fold(mix(key, 1 << 63), |key, byte| mix(key, byte.into()))
        };
    }
    key
}

/// As [`similarity`], for texts that were read before.
pub(super) fn compare(a: &Reading<'_>, b: &Reading<'_>) -> Option<u32> {
    let count = a.words.len();
    if count != b.words.len() {
        return None;
    }
    let mut penalty = 0;
    let mut slips = 0;
    for (index, (left, right)) in a.words.iter().zip(&b.words).enumerate() {
        if left.text == right.text {
            continue;
        }
        if index == 0 && count > 2 && verb(left.packed).is_some() && verb(left.packed) == verb(right.packed) {
            penalty += 10;
            continue;
        }
        slips += 1;
        if slips > 1 || count < 3 {
            return None;
        }
        let is_head = index == a.head && index == b.head;
        penalty += if is_head && are_singular_and_plural(*left, *right) {
            15
        } else if is_typo(*left, *right) {
            25
        } else {
            return None;
        };
    }
    penalty += marks_penalty(&a.marks, &b.marks, count)?;
    Some(100 - penalty)
}

/// A number, ticket or pictogram on one side only is an addition; two different ones are two tasks.
fn marks_penalty(a: &Marks<'_>, b: &Marks<'_>, count: usize) -> Option<u32> {
    let pairs = [(a.number, b.number, 2), (a.pictogram, b.pictogram, 3), (a.ticket, b.ticket, 3)];
    let mut penalty = 0;
    for (left, right, least_words) in pairs {
        penalty += match (left, right) {
            (Some(left), Some(right)) if left != right => return None,
            (Some(_), None) | (None, Some(_)) if count < least_words => return None,
            (Some(_), None) | (None, Some(_)) => 5,
            (Some(_), Some(_)) | (None, None) => 0,
        };
    }
    Some(penalty)
}

/// "test", "tests"; but "http" and "https", "window" and "windows" are two things.
fn are_singular_and_plural(a: Word<'_>, b: Word<'_>) -> bool {
    let is_plural_of = |plural: &str, singular: &str| {
        let is_regular = plural.strip_suffix('s') == Some(singular)
            || plural.strip_suffix("ies").is_some_and(|stem| singular.strip_suffix('y') == Some(stem));
        is_regular && singular.len() > 2 && !matches!(plural, "https" | "windows" | "news" | "does" | "goes")
    };
    a.is_plain && b.is_plain && (is_plural_of(a.text, b.text) || is_plural_of(b.text, a.text))
}

/// Whether one word is a slip of the pen in the other: two letters swapped, a consonant doubled or not, a vowel left out, or,
/// in a long word, a consonant left out that the word has twice. Short words, first and last letters, and one letter in
/// another's place make other words too often ("model", "modal"; "parser", "parsed"; "encode", "decode").
fn is_typo(a: Word<'_>, b: Word<'_>) -> bool {
    if !a.is_plain || !b.is_plain {
        return false;
    }
    let (short, long) = if a.text.len() <= b.text.len() {
        (a.text.as_bytes(), b.text.as_bytes())
    } else {
        (b.text.as_bytes(), a.text.as_bytes())
    };
    if short.len() < 5 || long.len() > short.len() + 1 {
        return false;
    }
    let pairs = short.iter().zip(long);
    let start = pairs.take_while(|(a, b)| a == b).count();
    let pairs = short.iter().rev().zip(long.iter().rev());
    let end = pairs.take_while(|(a, b)| a == b).count();
    if start == 0 || end == 0 || are_two_words(a.text, b.text) {
        return false;
    }
    let at = |word: &[u8], index: usize| word.get(index).copied().unwrap_or(0);
    if short.len() == long.len() {
        return short.len() >= 6
            && start + end + 2 == short.len()
            && at(short, start) == at(long, start + 1)
            && at(short, start + 1) == at(long, start);
    }
    if start + end < short.len() {
        return false;
    }
    let extra = at(long, start);
    if is_vowel(extra) {
        start > 2 && long.len() >= 8 && extra != at(long, start - 1)
    } else if extra == at(long, start - 1) {
        start > 1
    } else {
        start > 2 && end > 2 && long.len() >= 10 && consonants(a.text) == consonants(b.text)
    }
}

/// Words that look like slips of the pen of each other and are none; found by running [`is_typo`] over a word list.
fn are_two_words(a: &str, b: &str) -> bool {
    const TWO_WORDS: [(&str, &str); 41] = [
        ("angel", "angle"),
        ("automaton", "automation"),
        ("barely", "barley"),
        ("calendar", "calender"),
        ("canon", "cannon"),
        ("casual", "causal"),
        ("compiled", "complied"),
        ("compiler", "complier"),
        ("complaint", "compliant"),
        ("desert", "dessert"),
        ("dining", "dinning"),
        ("farming", "framing"),
        ("filed", "filled"),
        ("filing", "filling"),
        ("finish", "finnish"),
        ("gradation", "graduation"),
        ("indicted", "indicated"),
        ("later", "latter"),
        ("marital", "martial"),
        ("mediation", "meditation"),
        ("minster", "minister"),
        ("missing", "misusing"),
        ("partial", "patrial"),
        ("planed", "planned"),
        ("planer", "planner"),
        ("planing", "planning"),
        ("predicted", "predicated"),
        ("prediction", "predication"),
        ("programme", "programmer"),
        ("regarded", "regraded"),
        ("regarding", "regrading"),
        ("retired", "retried"),
        ("sacred", "scared"),
        ("scraping", "scrapping"),
        ("signed", "singed"),
        ("signing", "singing"),
        ("staring", "starring"),
        ("striping", "stripping"),
        ("tilted", "titled"),
        ("trail", "trial"),
        ("united", "untied"),
    ];
    let (a, b) = (a.trim_end_matches('s'), b.trim_end_matches('s'));
    TWO_WORDS.iter().any(|pair| *pair == (a, b) || *pair == (b, a))
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// The set of a word's consonants without `s` and `y`: neither a plural nor a slip of the pen changes it.
fn consonants(word: &str) -> u32 {
    const OTHERS: u32 = 1 | 1 << 4 | 1 << 8 | 1 << 14 | 1 << 18 | 1 << 20 | 1 << 24;
    let set = word.bytes().fold(0, |set, byte| set | 1_u32.wrapping_shl(u32::from(byte.wrapping_sub(b'a'))));
    set & !OTHERS
}

/// Takes `value` into the number of what came before.
pub(super) fn mix(state: u64, value: u64) -> u64 {
    (state.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}
