//! What JavaScript sent, as a tree that is taken apart by name.
//!
//! serde's derive would write a reader of its own for each type, and for each type that is tagged from inside a second one:
//! 60 kB of the module for what this file does in 5.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// How deep a value may lie: as deep as the deepest that the core reads, a todo's text in a history. What lies deeper counts as
/// absent.
pub(crate) const MAX_DEPTH: u8 = 10;

/// How many values one input may hold. What comes after them counts as absent; a list of 10,000 todos holds 80,000.
#[cfg(target_family = "wasm")]
pub(crate) const MAX_VALUES: u32 = 1_000_000;

/// A value of JavaScript, as far as JSON has it.
#[derive(Debug)]
pub(crate) enum Wire {
    /// `null`, `undefined` and what is absent.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Any number.
    Number(f64),
    /// Any string.
    Text(String),
    /// An array.
    List(Vec<Wire>),
    /// An object, in its own order.
    Map(Vec<(String, Wire)>),
}

/// What was read, or why it could not be.
pub(crate) type Read<T> = Result<T, Mismatch>;

/// A value of another kind than was expected.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mismatch(Box<Details>);

/// Apart, since every answer of a reader has room for a [`Mismatch`].
#[derive(Debug, PartialEq, Eq)]
struct Details {
    path: String,
    expected: &'static str,
    found: &'static str,
}

/// The fields of an object that is being read.
#[derive(Debug)]
pub(crate) struct Fields(Vec<(String, Wire)>);

impl Wire {
    /// `true` or `false`.
    pub(crate) fn flag(self) -> Read<bool> {
        if let Self::Bool(value) = self { Ok(value) } else { Err(self.is_not("true or false")) }
    }

    /// A whole number from 0 to 4,294,967,295.
    pub(crate) fn count(self) -> Read<u32> {
        const EXPECTED: &str = "a whole number from 0 to 4294967295";
        let Self::Number(value) = self else {
            return Err(self.is_not(EXPECTED));
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates; what changed is refused"
        )]
        let count = value as u32;
        let is_same = f64::from(count).total_cmp(&value).is_eq();
        if is_same { Ok(count) } else { Err(Mismatch::new(EXPECTED, "another number")) }
    }

    /// A string.
    pub(crate) fn text(self) -> Read<String> {
        if let Self::Text(value) = self { Ok(value) } else { Err(self.is_not("a text")) }
    }

    /// An array.
    pub(crate) fn list(self) -> Read<Vec<Self>> {
        if let Self::List(items) = self { Ok(items) } else { Err(self.is_not("a list")) }
    }

    /// An object.
    pub(crate) fn fields(self) -> Read<Fields> {
        if let Self::Map(fields) = self { Ok(Fields(fields)) } else { Err(self.is_not("an object")) }
    }

    /// `None` when there is nothing.
    pub(crate) fn optional<T>(self, read: impl FnOnce(Self) -> Read<T>) -> Read<Option<T>> {
        if let Self::Null = self { Ok(None) } else { read(self).map(Some) }
    }

    /// A list of which one bad item spoils all.
    pub(crate) fn all<T>(self, read: fn(Self) -> Read<T>) -> Read<Vec<T>> {
        let mut all = Vec::new();
        for item in self.list()? {
            match read(item) {
                Ok(value) => all.push(value),
                Err(wrong) => return Err(wrong.within(&all.len().to_string())),
            }
        }
        Ok(all)
    }

    /// A list without its bad items.
    pub(crate) fn good<T>(self, read: fn(Self) -> Read<T>) -> Read<Vec<T>> {
        let mut good = Vec::new();
        for item in self.list()? {
            good.extend(read(item));
        }
        Ok(good)
    }

    fn is_not(&self, expected: &'static str) -> Mismatch {
        Mismatch::new(
            expected,
            match self {
                Self::Null => "nothing",
                Self::Bool(_) => "true or false",
                Self::Number(_) => "a number",
                Self::Text(_) => "a text",
                Self::List(_) => "a list",
                Self::Map(_) => "an object",
            },
        )
    }
}

impl Fields {
    /// Reads the field called `name`. An absent one reads as [`Wire::Null`].
    pub(crate) fn read<T>(&mut self, name: &str, read: impl FnOnce(Wire) -> Read<T>) -> Read<T> {
        read(self.take(name)).map_err(|wrong| wrong.within(name))
    }

    fn take(&mut self, name: &str) -> Wire {
        let field = self.0.iter_mut().find(|(known, _)| known == name);
        field.map_or(Wire::Null, |(_, value)| std::mem::replace(value, Wire::Null))
    }

    /// All fields, in the object's order.
    pub(crate) fn all<T>(self, read: fn(Wire) -> Read<T>) -> Read<Vec<(String, T)>> {
        let mut all = Vec::new();
        for (name, value) in self.0 {
            match read(value) {
                Ok(value) => all.push((name, value)),
                Err(wrong) => return Err(wrong.within(&name)),
            }
        }
        Ok(all)
    }
}

impl Mismatch {
    /// Both as a person calls them.
    pub(crate) fn new(expected: &'static str, found: &'static str) -> Self {
        Self(Box::new(Details { path: String::new(), expected, found }))
    }

    /// The same, as seen from the value that holds the wrong one under `name`.
    pub(crate) fn within(mut self, name: &str) -> Self {
        let dot = if self.0.path.is_empty() { "" } else { "." };
        self.0.path = format!("{name}{dot}{}", self.0.path);
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { path, expected, found } = &*self.0;
        write!(f, "{path}: expected {expected}, found {found}")
    }
}

impl<'de> Deserialize<'de> for Wire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        AtDepth(0).deserialize(deserializer)
    }
}

/// Reads a value that lies this deep.
struct AtDepth(u8);

impl<'de> DeserializeSeed<'de> for AtDepth {
    type Value = Wire;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Wire, D::Error> {
        if self.0 > MAX_DEPTH {
            deserializer.deserialize_ignored_any(IgnoredAny)?;
            return Ok(Wire::Null);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AtDepth {
    type Value = Wire;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_unit<E>(self) -> Result<Wire, E> {
        Ok(Wire::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Wire, E> {
        Ok(Wire::Bool(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "JavaScript's numbers are no more exact")]
    fn visit_i64<E>(self, value: i64) -> Result<Wire, E> {
        Ok(Wire::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "JavaScript's numbers are no more exact")]
    fn visit_u64<E>(self, value: u64) -> Result<Wire, E> {
        Ok(Wire::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Wire, E> {
        Ok(Wire::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Wire, E> {
        Ok(Wire::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Wire, E> {
        Ok(Wire::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Wire, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Self(self.0 + 1))? {
            items.push(item);
        }
        Ok(Wire::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Wire, A::Error> {
        let mut fields = Vec::new();
        while let Some(name) = map.next_key()? {
            fields.push((name, map.next_value_seed(Self(self.0 + 1))?));
        }
        Ok(Wire::Map(fields))
    }
}
