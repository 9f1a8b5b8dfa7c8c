//! Where options come from, and what the person is told when a source is wrong.

use std::fmt;

use super::Options;
use super::field::{self, Rejected};
use crate::text;
use crate::wording;
#[cfg(target_family = "wasm")]
use todo_keeper_json::Read;
use todo_keeper_json::{self as json, Json};

/// One place that options were read from. The shim reads, the core understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What the person calls the place: a path, or `opencode.json`.
    pub file: String,
    /// What is in it: JSON in which comments and trailing commas are allowed.
    pub text: Option<String>,
    /// Why it could not be read, when it is there and could not.
    pub error: Option<String>,
}

/// Something wrong with a source. [`fmt::Display`] writes it as one safe line for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The place, as in [`Source::file`].
    pub file: String,
    /// The option, or `None` when the whole place is meant.
    pub field: Option<String>,
    /// What would have been right, and what to do.
    pub expected: String,
    /// What was there.
    pub found: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", text::one_line(&self.file))?;
        if let Some(field) = &self.field {
            write!(f, "{}: ", text::one_line(field))?;
        }
        write!(f, "expected {}, found {}", text::one_line(&self.expected), text::one_line(&self.found))
    }
}

impl Source {
    /// Reads a source as `src/wasm.d.ts` describes it.
    #[cfg(target_family = "wasm")]
    pub(crate) fn read(wire: Json<'_>) -> Read<Self> {
        let mut fields = wire.fields()?;
        Ok(Self {
            file: fields.read("file", Json::text)?,
            text: fields.read("text", |text| text.optional(Json::text))?,
            error: fields.read("error", |error| error.optional(Json::text))?,
        })
    }

    /// Sets in `options` every field that this source sets validly; says of every other one what is wrong with it.
    pub(super) fn lay_over(&self, options: &mut Options, diagnostics: &mut Vec<Diagnostic>) {
        match self.fields() {
            Ok(fields) => {
                for (name, value) in &fields {
                    if let (Json::Object(parts), "nudge") = (value, name.as_str()) {
                        for (part, value) in parts {
                            self.set(options, &format!("nudge.{part}"), value, diagnostics);
                        }
                    } else if name.contains('.') {
                        // An editor that knows the schema would not complete it.
                        let found = format!("the name {name}");
                        diagnostics.push(self.wrong(Some(name), INSIDE, found));
                    } else {
                        self.set(options, name, value, diagnostics);
                    }
                }
            }
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }

    /// The fields of the one JSON object that a source must hold.
    fn fields(&self) -> Result<Vec<(String, Json<'_>)>, Diagnostic> {
        if let Some(error) = &self.error {
            return Err(self.wrong(None, "a file that can be read", error.clone()));
        }
        let text = self.text.as_deref().unwrap_or_default();
        match json::read(text.strip_prefix('\u{FEFF}').unwrap_or(text)) {
            Ok(Some(Json::Object(fields))) => Ok(fields),
            Ok(None) => Err(self.wrong(None, AN_OBJECT, "an empty file".to_owned())),
            Ok(Some(other)) => Err(self.wrong(None, AN_OBJECT, field::shown(&other))),
            Err(found) => Err(self.wrong(None, "JSON (comments and trailing commas are allowed)", found)),
        }
    }

    fn set(&self, options: &mut Options, name: &str, value: &Json<'_>, diagnostics: &mut Vec<Diagnostic>) {
        if name == "$schema" {
            return;
        }
        match field::set(options, name, value) {
            Ok(()) => {
                if let (Json::Text(format), Some(known)) = (value, field::placeholders(name)) {
                    for placeholder in wording::unknown_placeholders(format, known) {
                        diagnostics.push(self.wrong(Some(name), known, placeholder));
                    }
                }
            }
            Err(Rejected::Expected(expected)) => {
                diagnostics.push(self.wrong(Some(name), expected, field::shown(value)));
            }
            Err(Rejected::Unknown) => {
                let found = format!("the unknown option {name}");
                diagnostics.push(self.wrong(Some(name), &instead_of(name), found));
            }
        }
    }

    fn wrong(&self, field: Option<&str>, expected: &str, found: String) -> Diagnostic {
        let field = field.map(str::to_owned);
        Diagnostic { file: self.file.clone(), field, expected: expected.to_owned(), found }
    }
}

const INSIDE: &str = "it inside of nudge, like { \"nudge\": { \"enabled\": true } }";

const AN_OBJECT: &str = "an object of options, like { \"idleDelayMs\": 500 }";

/// How alike a name must be to be meant, from 0 to 1, by the measure of Jaro and Winkler.
const NEAR: f64 = 0.8;

/// What to write instead of an option that does not exist: the successor of an old one, or the nearest name.
fn instead_of(name: &str) -> String {
    match name {
        "message" => "messageFormat (the old name is message)".to_owned(),
        "includeProgressInPrompt" => "{completed} and {total} in messageFormat instead of it".to_owned(),
        "cooldownMs" => "idleDelayMs and maxAutoSubmitsPerTodo instead of it".to_owned(),
        "marker" => "no marker: reminders are recognised by their metadata".to_owned(),
        _ => {
            let likeness = |known: &str| strsim::jaro_winkler(&known.to_ascii_lowercase(), &name.to_ascii_lowercase());
            let nearest = field::NAMES.iter().map(|known| (likeness(known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
            match nearest.filter(|(likeness, _)| *likeness > NEAR) {
                Some((_, known)) => format!("an option that exists; the nearest is {known}"),
                None => "an option that exists; npx opencode-todo-keeper init writes them all down".to_owned(),
            }
        }
    }
}
