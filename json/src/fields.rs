//! What JavaScript sent, taken apart by name.
//!
//! serde's derive would write a reader of its own for each type, and for each type that is tagged from inside a second one:
//! 60 kB of the module for what this file does in 5.

use std::fmt;

use crate::{Json, whole_number};

/// What was read, or why it could not be.
pub type Read<T> = Result<T, Mismatch>;

/// A value of another kind than was expected.
#[derive(Debug, PartialEq, Eq)]
pub struct Mismatch(Box<Details>);

/// Apart, since every answer of a reader has room for a [`Mismatch`].
#[derive(Debug, PartialEq, Eq)]
struct Details {
    path: String,
    expected: &'static str,
    found: &'static str,
}

/// The fields of an object that is being read.
#[derive(Debug)]
pub struct Fields<'a>(Vec<(String, Json<'a>)>);

impl<'a> Json<'a> {
    /// `true` or `false`.
    ///
    /// # Errors
    ///
    /// When it is anything else.
    pub fn flag(self) -> Read<bool> {
        if let Self::Flag(value) = self { Ok(value) } else { Err(self.is_not("true or false")) }
    }

    /// A whole number from 0 to 4,294,967,295.
    ///
    /// # Errors
    ///
    /// When it is anything else.
    pub fn count(self) -> Read<u32> {
        const EXPECTED: &str = "a whole number from 0 to 4294967295";
        let Self::Number(digits) = self else {
            return Err(self.is_not(EXPECTED));
        };
        whole_number(digits, u32::MAX).ok_or_else(|| Mismatch::new(EXPECTED, "another number"))
    }

    /// A string.
    ///
    /// # Errors
    ///
    /// When it is anything else.
    pub fn text(self) -> Read<String> {
        if let Self::Text(value) = self { Ok(value) } else { Err(self.is_not("a text")) }
    }

    /// An array.
    ///
    /// # Errors
    ///
    /// When it is anything else.
    pub fn list(self) -> Read<Vec<Self>> {
        if let Self::List(items) = self { Ok(items) } else { Err(self.is_not("a list")) }
    }

    /// An object.
    ///
    /// # Errors
    ///
    /// When it is anything else.
    pub fn fields(self) -> Read<Fields<'a>> {
        if let Self::Object(fields) = self { Ok(Fields(fields)) } else { Err(self.is_not("an object")) }
    }

    /// `None` when there is nothing.
    ///
    /// # Errors
    ///
    /// What `read` answers.
    pub fn optional<T>(self, read: impl FnOnce(Self) -> Read<T>) -> Read<Option<T>> {
        if let Self::Null = self { Ok(None) } else { read(self).map(Some) }
    }

    /// A list of which one bad item spoils all.
    ///
    /// # Errors
    ///
    /// When it is no list, and what `read` answers.
    pub fn all<T>(self, read: fn(Self) -> Read<T>) -> Read<Vec<T>> {
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
    ///
    /// # Errors
    ///
    /// When it is no list.
    pub fn good<T>(self, read: fn(Self) -> Read<T>) -> Read<Vec<T>> {
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
                Self::Flag(_) => "true or false",
                Self::Number(_) => "a number",
                Self::Text(_) => "a text",
                Self::List(_) => "a list",
                Self::Object(_) => "an object",
            },
        )
    }
}

impl<'a> Fields<'a> {
    /// Reads the field called `name`. An absent one reads as [`Json::Null`].
    ///
    /// # Errors
    ///
    /// What `read` answers, with the field's name.
    pub fn read<T>(&mut self, name: &str, read: impl FnOnce(Json<'a>) -> Read<T>) -> Read<T> {
        read(self.take(name)).map_err(|wrong| wrong.within(name))
    }

    fn take(&mut self, name: &str) -> Json<'a> {
        let field = self.0.iter_mut().find(|(known, _)| known == name);
        field.map_or(Json::Null, |(_, value)| std::mem::replace(value, Json::Null))
    }

    /// All fields, in the object's order.
    ///
    /// # Errors
    ///
    /// When it is no list, and what `read` answers.
    pub fn all<T>(self, read: fn(Json<'a>) -> Read<T>) -> Read<Vec<(String, T)>> {
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
    #[must_use]
    pub fn new(expected: &'static str, found: &'static str) -> Self {
        Self(Box::new(Details { path: String::new(), expected, found }))
    }

    /// The same, as seen from the value that holds the wrong one under `name`.
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
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
