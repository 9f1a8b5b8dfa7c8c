//! Where one grapheme ends and the next one begins (UAX #29), for text without invisible characters.
//!
//! unicode-segmentation does the same for all text, with 25 kB of tables. Without controls and joiners one small table is
//! enough; the tests hold it against unicode-segmentation.

mod ranges;

use ranges::RANGES;

/// What a character does to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing.
    Other = 0,
    /// Belongs to what is before it.
    Extend = 1,
    /// The same, and no conjunct goes on behind it.
    SpacingMark = 2,
    /// The same, and binds the consonants on both sides of it to a conjunct.
    Linker = 3,
    /// An Indic consonant.
    Consonant = 4,
    /// Belongs to what comes after it.
    Prepend = 5,
    /// A leading letter of a Hangul syllable.
    Leading = 6,
    /// A vowel of a Hangul syllable, or a syllable without a trailing letter.
    Vowel = 7,
    /// A trailing letter of a Hangul syllable, or a syllable with one.
    Trailing = 8,
    /// Half of a flag.
    Regional = 9,
}

/// How far a conjunct of consonants is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conjunct {
    None,
    Consonant,
    Linked,
}

/// The graphemes of `text`.
pub(super) fn graphemes(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (grapheme, after) = rest.split_at_checked(first_length(rest)).filter(|(first, _)| !first.is_empty())?;
        rest = after;
        Some(grapheme)
    })
}

/// How many bytes the first grapheme of `text` has.
fn first_length(text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else { return 0 };
    let mut before = first;
    let mut conjunct = follow(Conjunct::None, Kind::of(first));
    let mut is_half_flag = Kind::of(first) == Kind::Regional;
    for (at, c) in chars {
        let kind = Kind::of(c);
        let is_joined = match (Kind::of(before), kind) {
            (_, Kind::Extend | Kind::SpacingMark | Kind::Linker)
            | (Kind::Prepend, _)
            | (Kind::Leading, Kind::Leading | Kind::Vowel) => true,
            (_, Kind::Consonant) => conjunct == Conjunct::Linked,
            (Kind::Regional, Kind::Regional) => is_half_flag,
            (Kind::Leading, Kind::Trailing) => is_syllable(c),
            (Kind::Vowel, Kind::Vowel | Kind::Trailing) | (Kind::Trailing, Kind::Trailing) => !is_syllable(c),
            _ => false,
        };
        if !is_joined {
            return at;
        }
        before = c;
        conjunct = follow(conjunct, kind);
        is_half_flag = kind == Kind::Regional && !is_half_flag;
    }
    text.len()
}

const fn follow(conjunct: Conjunct, kind: Kind) -> Conjunct {
    match (conjunct, kind) {
        (_, Kind::Consonant) => Conjunct::Consonant,
        (Conjunct::Consonant | Conjunct::Linked, Kind::Linker) => Conjunct::Linked,
        (_, Kind::Extend) => conjunct,
        _ => Conjunct::None,
    }
}

/// Whether `c` is a whole Hangul syllable, which begins with a leading letter and a vowel.
const fn is_syllable(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}')
}

impl Kind {
    fn of(c: char) -> Self {
        if c < '\u{300}' {
            return Self::Other;
        }
        if is_syllable(c) {
            let has_trailing = !(u32::from(c) - 0xAC00).is_multiple_of(28);
            return if has_trailing { Self::Trailing } else { Self::Vowel };
        }
        let code = u32::from(c);
        let upto = RANGES.partition_point(|range| range >> 11 <= code);
        match upto.checked_sub(1).and_then(|at| RANGES.get(at)) {
            Some(range) if code - (range >> 11) <= range >> 4 & 0x7F => Self::numbered(range & 0xF),
            _ => Self::Other,
        }
    }

    const fn numbered(number: u32) -> Self {
        match number {
            1 => Self::Extend,
            2 => Self::SpacingMark,
            3 => Self::Linker,
            4 => Self::Consonant,
            5 => Self::Prepend,
            6 => Self::Leading,
            7 => Self::Vowel,
            8 => Self::Trailing,
            9 => Self::Regional,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;
    use crate::text::is_invisible;

    fn visible() -> impl Iterator<Item = char> {
        ('\0'..=char::MAX).filter(|c| !is_invisible(*c) && !c.is_whitespace())
    }

    /// The kind of `c` as unicode-segmentation's behaviour tells it.
    fn expected(c: char) -> Kind {
        // Most characters join with nothing at all: of these fifteen only the consonant and its linker are one.
        let all = format!("a{c}a\u{915}\u{94D}{c}\u{1100}{c}\u{1100}{c}\u{1161}{c}\u{11A8}{c}\u{1F1E6}");
        if all.graphemes(true).count() == 14 {
            return Kind::Other;
        }
        let is_one = |text: String| text.graphemes(true).count() == 1;
        if is_one(format!("a{c}")) {
            return match (is_one(format!("\u{915}{c}\u{915}")), is_one(format!("\u{915}\u{94D}{c}\u{915}"))) {
                (true, _) => Kind::Linker,
                (false, true) => Kind::Extend,
                (false, false) => Kind::SpacingMark,
            };
        }
        let [prepend, consonant, leading, vowel, trailing, regional] = [
            format!("{c}a"),
            format!("\u{915}\u{94D}{c}"),
            format!("{c}\u{1100}"),
            format!("{c}\u{1161}"),
            format!("{c}\u{11A8}"),
            format!("{c}\u{1F1E6}"),
        ]
        .map(is_one);
        match () {
            () if prepend => Kind::Prepend,
            () if consonant => Kind::Consonant,
            () if regional => Kind::Regional,
            () if leading => Kind::Leading,
            () if vowel => Kind::Vowel,
            () if trailing => Kind::Trailing,
            () => Kind::Other,
        }
    }

    #[test]
    fn the_table_is_that_of_unicode_segmentation() {
        let mut table: Vec<u32> = Vec::new();
        let mut last = None;
        let kinds: Vec<(char, Kind)> = visible().map(|c| (c, expected(c))).collect();
        for &(c, kind) in kinds.iter().filter(|(c, _)| !is_syllable(*c)) {
            let code = u32::from(c);
            match table.last_mut() {
                _ if kind == Kind::Other => {}
                Some(range) if last == Some((code - 1, kind)) && *range >> 4 & 0x7F < 0x7F => *range += 1 << 4,
                _ => table.push(code << 11 | kind as u32),
            }
            last = Some((code, kind));
        }
        let number = |range: &u32| format!("0x{:04X}_{:04X},", range >> 16, range & 0xFFFF);
        let numbers: Vec<String> = table.iter().map(number).collect();
        let lines: Vec<String> = numbers.chunks(10).map(|line| line.join(" ")).collect();
        assert!(table == RANGES, "expected in src/text/graphemes/ranges.rs\n{}", lines.join("\n"));
        for (c, kind) in kinds {
            assert_eq!(Kind::of(c), kind, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn text_is_cut_where_unicode_segmentation_cuts_it() {
        let of_each_kind = |kind: u32| visible().filter(move |c| Kind::of(*c) as u32 == kind).step_by(7).take(12);
        let pool: Vec<char> = (0..10).flat_map(of_each_kind).chain("각가나 aé👍🏽".chars()).collect();
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.extend(pool.get(usize::try_from(seed >> 33).unwrap_or_default() % pool.len()));
            }
            assert_eq!(graphemes(&text).collect::<Vec<_>>(), text.graphemes(true).collect::<Vec<_>>(), "{text:?}");
        }
        assert_eq!(graphemes("").count(), 0);
    }
}
