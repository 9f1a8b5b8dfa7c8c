//! Whether two todos are the same task in other words.
//!
//! Edit distances and word overlaps cannot tell "Update v1 docs" from "Update v2 docs" while they still see that "Write
//! tests for the parser" is "Write parser tests": `tests/guard_similarity.rs` measures some. So two texts are the same task
//! only if they read the same, word by word, but for one small difference that a rewording makes and another task does not.

use super::fold;
use super::reading::{Marks, Reading, Word, read};

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
            word.text
                .bytes()
                .fold(mix(key, 1 << 63), |key, byte| mix(key, byte.into()))
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
        if index == 0 && count > 1 && are_forms_of_one_verb(*left, *right) {
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
    let pairs = [
        (a.number, b.number, 2),
        (a.pictogram, b.pictogram, 3),
        (a.ticket, b.ticket, 3),
    ];
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

/// "write", "writing"; "fixing", "fixed".
fn are_forms_of_one_verb(a: Word<'_>, b: Word<'_>) -> bool {
    if !a.is_plain || !b.is_plain {
        return false;
    }
    let stem = |word| str::strip_suffix(word, "ing").or_else(|| str::strip_suffix(word, "ed"));
    if let (Some(a), Some(b)) = (stem(a.text), stem(b.text))
        && a == b
        && a.len() > 2
    {
        return true;
    }
    is_form_of(a.text, b.text) || is_form_of(b.text, a.text)
}

fn is_form_of(form: &str, verb: &str) -> bool {
    if matches!(
        (form, verb),
        ("wrote" | "written", "write") | ("built", "build") | ("ran", "run") | ("made", "make")
    ) {
        return true;
    }
    let Some(stem) = form.strip_suffix("ing").or_else(|| form.strip_suffix("ed")) else {
        return false;
    };
    if verb.len() < 3 {
        return false;
    }
    if let Some(short) = verb.strip_suffix('e') {
        return stem == short;
    }
    if let Some(short) = verb.strip_suffix('y')
        && stem.strip_suffix('i') == Some(short)
    {
        return true;
    }
    if is_doubled(verb) {
        // "scraping" is not a form of "scrap".
        return stem
            .strip_prefix(verb)
            .is_some_and(|rest| verb.ends_with(rest) && rest.len() == 1);
    }
    stem == verb
        || (stem
            .strip_prefix(verb)
            .is_some_and(|rest| rest.len() == 1 && verb.ends_with(rest)))
}

/// Whether a verb doubles its last letter: one vowel between consonants, as in "run", "plan".
fn is_doubled(verb: &str) -> bool {
    let mut letters = verb.bytes().rev();
    let (last, middle, first) = (letters.next(), letters.next(), letters.next());
    let is_consonant = |byte: Option<u8>| byte.is_some_and(|byte| !is_vowel(byte));
    is_consonant(last)
        && !matches!(last, Some(b'w' | b'x' | b'y'))
        && middle.is_some_and(is_vowel)
        && is_consonant(first)
        && verb.bytes().filter(|byte| is_vowel(*byte)).count() == 1
}

/// "test", "tests"; but "http" and "https", "window" and "windows" are two things.
fn are_singular_and_plural(a: Word<'_>, b: Word<'_>) -> bool {
    let is_plural_of = |plural: &str, singular: &str| {
        let is_regular = plural.strip_suffix('s') == Some(singular)
            || plural
                .strip_suffix("ies")
                .is_some_and(|stem| singular.strip_suffix('y') == Some(stem));
        is_regular
            && singular.len() > 2
            && !matches!(plural, "https" | "windows" | "news" | "does" | "goes")
    };
    a.is_plain && b.is_plain && (is_plural_of(a.text, b.text) || is_plural_of(b.text, a.text))
}

/// Whether one word is a slip of the pen in the other: two letters swapped, one letter doubled or not, a vowel left out or
/// mistaken, or, in a long word, a consonant left out. Short words, first and last letters and most substitutions make other
/// words too often ("model", "modal"; "parser", "parsed"; "encode", "decode").
fn is_typo(a: Word<'_>, b: Word<'_>) -> bool {
    let (short, long) = if a.text.len() <= b.text.len() {
        (a, b)
    } else {
        (b, a)
    };
    if !a.is_plain || !b.is_plain || short.text.len() < 5 || long.text.len() - short.text.len() > 1
    {
        return false;
    }
    let (short, long) = (short.text, long.text);
    let common = short
        .bytes()
        .zip(long.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let common_end = short
        .bytes()
        .rev()
        .zip(long.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    if common < 1
        || common_end < 1
        || CONFUSABLE.contains(&(short, long))
        || CONFUSABLE.contains(&(long, short))
    {
        return false;
    }
    let at = |word: &str, index: usize| word.as_bytes().get(index).copied().unwrap_or(0);
    if short.len() == long.len() {
        let gap = short.len().saturating_sub(common + common_end);
        let (x, y) = (at(short, common), at(long, common));
        let is_swap = gap == 2 && x == at(long, common + 1) && y == at(short, common + 1);
        let is_vowel_slip =
            gap == 1 && is_vowel(x) && is_vowel(y) && short.len() >= 9 && common >= 3;
        return (is_swap && short.len() >= 6) || is_vowel_slip;
    }
    if common + common_end < short.len() {
        return false;
    }
    let extra = at(long, common);
    let is_double = common > 0 && extra == at(long, common - 1);
    let is_vowel = is_vowel(extra);
    common >= 2
        && ((is_double && long.len() >= 6)
            || (is_vowel && common >= 3 && long.len() >= 8)
            || (common >= 3 && long.len() >= 10 && consonants(short) == consonants(long)))
}

/// Real words that a slip of the pen would make of each other.
const CONFUSABLE: [(&str, &str); 0] = [];

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// The set of a word's consonants without `s`: neither a plural nor a slip of the pen changes it.
fn consonants(word: &str) -> u32 {
    let letters = word
        .bytes()
        .filter(|byte| !is_vowel(*byte) && !matches!(byte, b's' | b'y'));
    letters.fold(0, |set, byte| {
        set | 1_u32.wrapping_shl(u32::from(byte.wrapping_sub(b'a')))
    })
}

fn mix(state: u64, value: u64) -> u64 {
    (state.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}
