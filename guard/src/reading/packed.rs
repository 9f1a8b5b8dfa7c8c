//! Short words as numbers, since a word is looked up in many lists: a comparison of two numbers is one instruction, one of two
//! texts is a call.

/// A word of at most 12 signs in one number, five bits for each: the letters `a` to `z`, `-` and `&`. Any other word is
/// [`Packed::NONE`], which is in no list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Packed(u64);

impl Packed {
    /// A word that has a sign without a number, or too many signs.
    pub(crate) const NONE: Self = Self(0);

    /// The number of `word`.
    pub(crate) const fn of(word: &str) -> Self {
        let mut packed = 0;
        let mut rest = word.as_bytes();
        if rest.len() > 12 {
            return Self::NONE;
        }
        while let [sign, tail @ ..] = rest {
            let number = match sign {
                b'a'..=b'z' => *sign - b'a' + 1,
                b'-' => 27,
                b'&' => 28,
                _ => return Self::NONE,
            };
            packed = packed << 5 | number as u64;
            rest = tail;
        }
        Self(packed)
    }

    /// Whether the word has a number.
    pub(crate) const fn has_number(self) -> bool {
        self.0 != Self::NONE.0
    }

    /// Whether the word is one of `words`, which [`words!`] makes.
    pub(crate) fn is_in(self, words: &[Self]) -> bool {
        words.contains(&self)
    }

    /// The word without `ending`, when it ends so and is longer.
    pub(crate) const fn strip_suffix(self, ending: Self) -> Option<Self> {
        let bits = (u64::BITS - ending.0.leading_zeros()).next_multiple_of(5);
        let stem = self.0 >> bits;
        if stem != 0 && self.0 ^ stem << bits == ending.0 { Some(Self(stem)) } else { None }
    }

    /// The word and an `e`.
    pub(crate) const fn with_e(self) -> Self {
        Self(self.0 << 5 | 5)
    }
}

/// A list of words for [`Packed::is_in`], packed when it is compiled. Each must have a number.
macro_rules! words {
    ($($word:literal)*) => {
        const {
            let words = [$(Packed::of($word)),*];
            $(assert!(Packed::of($word).has_number(), $word);)*
            words
        }
    };
}
pub(crate) use words;
