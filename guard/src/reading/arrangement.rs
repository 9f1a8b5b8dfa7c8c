//! The one order of words for the usual ways to put the same task.

use super::packed::{Packed, words};
use super::{Piece, Word};

/// Answers the words in order, and which of them is the noun that the task is about.
///
/// "tests for the parser" is "parser tests": what follows `for`, `of`, `in` goes before the noun that it belongs to.
/// Prepositions that give a direction or an order (`from`, `to`, `before` …) stay, with all that follows them.
pub(super) fn arrange<'t>(pieces: &[Piece<'t>]) -> (Vec<Word<'t>>, usize) {
    let mut phrases = Phrases::default();
    for (index, piece) in pieces.iter().enumerate() {
        let previous = index.checked_sub(1).and_then(|index| pieces.get(index));
        phrases.take(*piece, previous, pieces.get(index + 1));
    }
    let Phrases { mut first, others, .. } = phrases;
    let mut words = Vec::with_capacity(pieces.len());
    verb_first(&mut first.words);
    let starts_with_verb = first.starts_with_verb();
    first.flatten(starts_with_verb, &mut words);
    let head = words.len().saturating_sub(1);
    for phrase in others {
        phrase.flatten(true, &mut words);
    }
    (words, head)
}

#[derive(Default)]
struct Phrases<'t> {
    first: Phrase<'t>,
    /// Each begins with its preposition.
    others: Vec<Phrase<'t>>,
    is_detail: bool,
}

impl<'t> Phrases<'t> {
    fn take(&mut self, piece: Piece<'t>, previous: Option<&Piece<'t>>, next: Option<&Piece<'t>>) {
        let has_next = next.is_some() && !self.last().words.is_empty();
        match piece {
            Piece::Word(word, true) => match self.role(word.packed, previous, next) {
                Role::Dropped => {}
                Role::Detail => self.start_detail(),
                Role::Direction => {
                    self.others.push(Phrase::default());
                    self.is_detail = false;
                    self.push(word);
                }
                Role::Content => self.push(word),
            },
            Piece::Word(word, false) => self.push(word),
            Piece::Pictogram(text) | Piece::Ticket(text, _) => {
                let is_plain = false;
                self.push(Word { text, packed: Packed::NONE, is_plain });
            }
            Piece::Open if has_next => self.start_detail(),
            Piece::Break if has_next => self.break_off(),
            Piece::Close => self.is_detail = false,
            Piece::Open | Piece::Break => {}
        }
    }

    fn last(&mut self) -> &mut Phrase<'t> {
        self.others.last_mut().unwrap_or(&mut self.first)
    }

    fn push(&mut self, word: Word<'t>) {
        let is_detail = self.is_detail;
        let phrase = self.last();
        match phrase.details.last_mut() {
            Some(detail) if is_detail => detail.push(word),
            _ => phrase.words.push(word),
        }
    }

    fn start_detail(&mut self) {
        self.last().details.push(Vec::new());
        self.is_detail = true;
    }

    /// At a colon or dash: what follows a verb says more about it ("Write tests: parser"); what does not begin with a verb is
    /// the topic ("Parser: write tests").
    fn break_off(&mut self) {
        let first = &mut self.first;
        if !self.others.is_empty() || !first.details.is_empty() || first.starts_with_verb() {
            self.start_detail();
            return;
        }
        let topic = std::mem::take(&mut first.words);
        if !matches!(topic.as_slice(), [word] if word.packed.is_in(&words!["todo" "wip" "task"])) {
            first.details.push(topic);
        }
        self.is_detail = false;
    }

    fn role(&mut self, word: Packed, previous: Option<&Piece<'_>>, next: Option<&Piece<'_>>) -> Role {
        let (Some(small), Some(Piece::Word(next, _))) = (small(word), next) else {
            return Role::Content;
        };
        let phrase = self.last();
        let previous = match previous {
            Some(Piece::Word(previous, _)) => previous.packed,
            _ => Packed::NONE,
        };
        // A verb alone means another thing with a preposition than without: "check for updates".
        let is_bare_verb = phrase.starts_with_verb()
            && phrase.words.len() == 1
            && phrase.details.is_empty()
            && !previous.is_in(&words!["fix" "review"]);
        match small {
            Small::Determiner => Role::Dropped,
            // Not "plan a in Rust".
            Small::Article if self::small(next.packed).is_none_or(Small::is_determiner) => Role::Dropped,
            Small::Article => Role::Content,
            _ if phrase.words.is_empty() => Role::Content,
            Small::Of if !is_bare_verb => Role::Detail,
            Small::In if !is_bare_verb && !takes_particle(previous) => Role::Detail,
            Small::To if matches!(phrase.words.as_slice(), [add, _, ..] if add.packed.is_in(&words!["add"])) => {
                Role::Detail
            }
            Small::Of | Small::In => Role::Content,
            Small::To | Small::Direction => Role::Direction,
        }
    }
}

enum Role {
    Dropped,
    Detail,
    Direction,
    Content,
}

/// A stretch of words and the stretches that say more about it.
#[derive(Default)]
struct Phrase<'t> {
    words: Vec<Word<'t>>,
    details: Vec<Vec<Word<'t>>>,
}

impl<'t> Phrase<'t> {
    fn starts_with_verb(&self) -> bool {
        self.words.first().is_some_and(|word| verb(word.packed).is_some())
    }

    /// The leading verb or preposition if there is one, then the details, the last one first, then the other words. Without it
    /// "Parser for tests" would be "Parser tests".
    fn flatten(&self, has_lead: bool, into: &mut Vec<Word<'t>>) {
        let (lead, words) = self.words.split_at_checked(usize::from(has_lead)).unwrap_or_default();
        into.extend_from_slice(lead);
        for detail in self.details.iter().rev() {
            into.extend_from_slice(detail);
        }
        into.extend_from_slice(words);
    }
}

/// "Login bug fix" is "Fix login bug".
fn verb_first(words: &mut [Word<'_>]) {
    let ends_with_verb = words
        .last()
        .is_some_and(|word| word.packed.is_in(&words!["fix" "update" "refactor" "cleanup" "review" "rename"]));
    if ends_with_verb && words.first().is_some_and(|word| verb(word.packed).is_none()) {
        words.rotate_right(1);
    }
}

/// Small words that may be dropped or moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Small {
    Article,
    Determiner,
    Of,
    In,
    To,
    Direction,
}

impl Small {
    fn is_determiner(self) -> bool {
        self == Self::Determiner
    }
}

fn small(word: Packed) -> Option<Small> {
    let lists: [(&[Packed], Small); 6] = [
        (&words!["a" "an"], Small::Article),
        (&words!["the" "my" "our" "your" "this" "that" "these" "please"], Small::Determiner),
        (&words!["for" "of"], Small::Of),
        (&words!["in" "on" "at"], Small::In),
        (&words!["to"], Small::To),
        (
            &words![
                "across" "after" "against" "and" "as" "before" "between" "but" "by" "from" "if" "instead" "into" "onto"
                "or" "over" "than" "then" "through" "under" "unless" "until" "using" "via" "when" "with" "without"
            ],
            Small::Direction,
        ),
    ];
    lists.iter().find(|(words, _)| word.is_in(words)).map(|(_, small)| *small)
}

/// Words that make another one with `in`, `on`: "log in", "turn on".
fn takes_particle(word: Packed) -> bool {
    word.is_in(&words![
        "log" "logged" "logging" "sign" "signed" "signing" "opt" "plug" "check" "turn" "switch" "roll" "fill" "build"
        "built" "drop" "add" "hot" "carry" "go" "turned" "drill"
    ])
}

/// The verb that a word is a form of ("write", "writing"), among the verbs that todos begin with. Words that are a noun or an
/// adjective as often are left out: "test runner for the parser", "loading state", "updated column".
pub(crate) fn verb(word: Packed) -> Option<Packed> {
    const VERBS: [Packed; 48] = words![
        "add" "allow" "apply" "bump" "check" "clean" "configure" "convert" "create" "define" "delete" "deploy" "disable"
        "enable" "ensure" "expose" "extend" "extract" "fix" "generate" "handle" "implement" "improve" "install"
        "integrate" "introduce" "investigate" "migrate" "optimize" "prepare" "prevent" "refactor" "remove" "rename"
        "replace" "resolve" "revert" "review" "rewrite" "run" "send" "simplify" "update" "upgrade" "validate" "verify"
        "wire" "write"
    ];
    let found = |verb: Packed| verb.is_in(&VERBS).then_some(verb);
    match word.strip_suffix(const { Packed::of("ing") }) {
        None => found(word),
        Some(stem) if stem == const { Packed::of("runn") } => found(const { Packed::of("run") }),
        Some(stem) => found(stem).or_else(|| found(stem.with_e())),
    }
}
