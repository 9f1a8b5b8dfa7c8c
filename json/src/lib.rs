//! JSON in which comments and trailing commas are allowed, read into a tree: the options as a person writes them, and what
//! crosses the boundary. There it is one text, since to take JavaScript's objects apart value by value takes longer.
//!
//! jsonc-parser reads that and more, for 20 kB of the module. The tests hold this reader against it.

mod fields;

pub use fields::{Fields, Mismatch, Read};

/// How deep lists and objects may lie in each other.
const MAX_DEPTH: u16 = 512;

/// How many characters of the text an error shows.
const MAX_NEAR: usize = 20;

/// A value.
#[derive(Debug)]
pub enum Json<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A number, as it is written.
    Number(&'a str),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Self>),
    /// An object, in its own order. A name may stand there twice.
    Object(Vec<(String, Self)>),
}

/// Reads the one value of a text; `None` when there is none.
///
/// # Errors
///
/// What was found that JSON does not have, and where.
pub fn read(text: &str) -> Result<Option<Json<'_>>, String> {
    let mut reader = Reader { text, rest: text };
    reader.document().map_err(|found| reader.located(found))
}

struct Reader<'a> {
    text: &'a str,
    /// What was not read yet.
    rest: &'a str,
}

/// What was read, or what was found that does not belong there.
type Found<T> = Result<T, &'static str>;

impl<'a> Reader<'a> {
    fn document(&mut self) -> Found<Option<Json<'a>>> {
        self.skip()?;
        if self.rest.is_empty() {
            return Ok(None);
        }
        let value = self.value(MAX_DEPTH)?;
        self.skip()?;
        if self.rest.is_empty() { Ok(Some(value)) } else { Err("more after the end of the value") }
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Found<()> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.trim_start_matches(|c| c != '\n' && c != '\r');
            } else if let Some(mut comment) = self.rest.strip_prefix("/*") {
                self.rest = loop {
                    let (_, after) = comment.split_once('*').ok_or("a comment without an end")?;
                    match after.strip_prefix('/') {
                        Some(rest) => break rest,
                        None => comment = after,
                    }
                };
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: u16) -> Found<Json<'a>> {
        if self.take('{') {
            self.object(depth)
        } else if self.take('[') {
            self.list(depth)
        } else if self.take('"') {
            self.text().map(Json::Text)
        } else {
            self.word()
        }
    }

    fn take(&mut self, sign: char) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn object(&mut self, depth: u16) -> Found<Json<'a>> {
        let depth = depth.checked_sub(1).ok_or(TOO_DEEP)?;
        let mut fields = Vec::new();
        while self.has_next(fields.is_empty(), '}')? {
            if !self.take('"') {
                return Err("a name that is not in double quotes");
            }
            let name = self.text()?;
            self.skip()?;
            if !self.take(':') {
                return Err("a name without a colon after it");
            }
            self.skip()?;
            fields.push((name, self.value(depth)?));
        }
        Ok(Json::Object(fields))
    }

    fn list(&mut self, depth: u16) -> Found<Json<'a>> {
        let depth = depth.checked_sub(1).ok_or(TOO_DEEP)?;
        let mut items = Vec::new();
        while self.has_next(items.is_empty(), ']')? {
            items.push(self.value(depth)?);
        }
        Ok(Json::List(items))
    }

    /// Whether another item comes before `end`.
    fn has_next(&mut self, is_first: bool, end: char) -> Found<bool> {
        self.skip()?;
        if self.take(end) {
            return Ok(false);
        }
        if is_first {
            return Ok(true);
        }
        if !self.take(',') {
            return Err("neither a comma nor the end of a list or an object");
        }
        self.skip()?;
        Ok(!self.take(end))
    }

    /// The rest of a string, behind its opening quote.
    fn text(&mut self) -> Found<String> {
        let mut text = String::new();
        loop {
            let end = self.rest.find(['"', '\\']).ok_or("a text without an end")?;
            let (part, rest) = self.rest.split_at_checked(end).unwrap_or_default();
            text.push_str(part);
            self.rest = rest;
            if self.take('"') {
                return Ok(text);
            }
            self.take('\\');
            text.push(self.escaped()?);
        }
    }

    /// The character that stands behind a backslash.
    fn escaped(&mut self) -> Found<char> {
        let mut chars = self.rest.chars();
        let escaped = match chars.next() {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{C}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                self.rest = chars.as_str();
                return self.numbered();
            }
            _ => return Err(NO_ESCAPE),
        };
        self.rest = chars.as_str();
        Ok(escaped)
    }

    /// The character of four digits, or of twice four when it lies beyond U+FFFF. A half of such a pair, which JavaScript's
    /// strings may hold and Rust's may not, is U+FFFD.
    fn numbered(&mut self) -> Found<char> {
        let mut code = self.four_digits()?;
        let after = self.rest;
        if (0xD800..0xDC00).contains(&code) && self.take('\\') && self.take('u') {
            match self.four_digits()?.checked_sub(0xDC00).filter(|low| *low < 0x400) {
                Some(low) => code = 0x1_0000 + ((code - 0xD800) << 10) + low,
                None => self.rest = after,
            }
        } else {
            self.rest = after;
        }
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Found<u32> {
        let (digits, rest) = self.rest.split_at_checked(4).ok_or(NO_ESCAPE)?;
        let mut number = 0;
        for digit in digits.chars() {
            number = number << 4 | digit.to_digit(16).ok_or(NO_ESCAPE)?;
        }
        self.rest = rest;
        Ok(number)
    }

    /// `null`, `true`, `false` or a number.
    fn word(&mut self) -> Found<Json<'a>> {
        let is_end = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or_default();
        let value = match word {
            "null" => Json::Null,
            "true" => Json::Flag(true),
            "false" => Json::Flag(false),
            _ if is_number(word) => Json::Number(word),
            _ => return Err("what is no value"),
        };
        self.rest = rest;
        Ok(value)
    }

    fn located(&self, found: &str) -> String {
        let before = self.text.strip_suffix(self.rest).unwrap_or_default();
        let (line, column) = before.chars().fold((1, 1), |(line, column), c| match c {
            '\n' => (line + 1, 1),
            _ => (line, column + 1),
        });
        let near: String = self.rest.lines().next().unwrap_or_default().chars().take(MAX_NEAR).collect();
        let place = if self.rest.is_empty() { "the text ends".to_owned() } else { format!("\"{near}\" stands") };
        format!("{found} on line {line} column {column}, where {place}")
    }
}

const TOO_DEEP: &str = "too many lists or objects in each other";
const NO_ESCAPE: &str = "an escape that JSON does not have";

/// The number that is written as `digits`, as JSON has it, when it is whole and at most `most`. `500.0` and `5e2` are whole.
#[must_use]
pub fn whole_number(digits: &str, most: u32) -> Option<u32> {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let unsigned = mantissa.strip_prefix('-');
    let (whole, fraction) = unsigned.unwrap_or(mantissa).split_once('.').unwrap_or((unsigned.unwrap_or(mantissa), ""));
    let point = exponent.parse::<i32>().ok()?.saturating_add(i32::try_from(whole.len()).ok()?);
    let mut value: u64 = 0;
    let mut place = 0;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = digit.to_digit(10)?;
        if place < point {
            value = value.saturating_mul(10).saturating_add(digit.into());
        } else if digit != 0 {
            return None;
        }
        place += 1;
    }
    // No number that is not 0 takes more zeros.
    while place < point.min(place + 10) {
        value = value.saturating_mul(10);
        place += 1;
    }
    let value = u32::try_from(value).ok().filter(|value| *value <= most)?;
    (value == 0 || unsigned.is_none()).then_some(value)
}

/// Whether JSON has a number that is written so.
fn is_number(word: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
    is_digits(whole) && is_digits(fraction) && is_digits(exponent) && !has_leading_zero
}

/// Appends a text in quotation marks, with the escapes that JSON needs.
pub fn push_text(into: &mut String, text: &str) {
    into.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        let (plain, from) = rest.split_at_checked(at).unwrap_or_default();
        into.push_str(plain);
        let mut chars = from.chars();
        let sign = u32::from(chars.next().unwrap_or_default());
        into.push_str("\\u00");
        for digit in [sign >> 4, sign & 15] {
            into.extend(char::from_digit(digit, 16));
        }
        rest = chars.as_str();
    }
    into.push_str(rest);
    into.push('"');
}

#[cfg(test)]
mod tests {
    use jsonc_parser::{JsonValue, ParseOptions, parse_to_value};

    use super::*;

    const AS_STRICT: ParseOptions = ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };

    fn is_same(ours: &Json<'_>, theirs: &JsonValue<'_>) -> bool {
        match (ours, theirs) {
            (Json::Null, JsonValue::Null) => true,
            (Json::Flag(ours), JsonValue::Boolean(theirs)) => ours == theirs,
            (Json::Number(ours), JsonValue::Number(theirs)) => ours == theirs,
            (Json::Text(ours), JsonValue::String(theirs)) => ours == theirs,
            (Json::List(ours), JsonValue::Array(theirs)) => {
                ours.len() == theirs.len() && ours.iter().zip(theirs.iter()).all(|(ours, theirs)| is_same(ours, theirs))
            }
            (Json::Object(ours), JsonValue::Object(theirs)) => {
                // Of two fields of one name jsonc-parser keeps the last one.
                let last = |name: &str| ours.iter().rfind(|(known, _)| known == name).map(|(_, value)| value);
                ours.iter().all(|(name, _)| theirs.get(name).is_some())
                    && theirs
                        .clone()
                        .into_iter()
                        .all(|(name, theirs)| last(&name).is_some_and(|ours| is_same(ours, &theirs)))
            }
            _ => false,
        }
    }

    #[track_caller]
    fn hold_against_jsonc_parser(text: &str) {
        let (ours, theirs) = (read(text), parse_to_value(text, &AS_STRICT));
        let is_same = match (&ours, &theirs) {
            (Ok(Some(ours)), Ok(Some(theirs))) => is_same(ours, theirs),
            (Ok(None), Ok(None)) | (Err(_), Err(_)) => true,
            _ => false,
        };
        assert!(is_same, "{text:?}: expected {theirs:?}, found {ours:?}");
    }

    #[test]
    fn numbers_texts_and_comments_are_those_of_jsonc_parser() {
        let numbers = "0 -0 -1 12.50 1e5 1E+5 1e-05 01 00 -01 +1 .5 5. - 1e 1e+ 0x1F 1.2.3 NaN -Infinity 1-2 e5 --1";
        let words = "true false null tru truex nullé True undefined true-";
        for text in numbers.split(' ').chain(words.split(' ')) {
            hold_against_jsonc_parser(text);
            hold_against_jsonc_parser(&format!("[{text}, {text}]"));
        }
        for text in [
            r#""\"\\\/\b\f\n\r\t\u00e9""#,
            r#""\ud83d\ude00""#,
            r#""\u12""#,
            r#""\u+123""#,
            r#""\u12é""#,
            r#""\x41""#,
            r#""\'""#,
            r#""\"#,
            "'a'",
            "\"a\nb\u{1}\"",
            "\u{85}\u{3000}1\u{B}\u{C}",
            "1 // a\r2",
            "1 // a",
            "/**/1/* * / **/",
            "/*/1",
            "/ 1",
            "/* 1",
            "{\"a\":1,\"b\":2,\"a\":3}",
            "{\"a\"/**/:/**/1/**/,/**/}",
        ] {
            hold_against_jsonc_parser(text);
        }
        for depth in [511, 512, 513] {
            hold_against_jsonc_parser(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
            hold_against_jsonc_parser(&format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
        }
    }

    #[test]
    fn half_a_pair_is_a_replacement_character() {
        for (text, expected) in [
            (r#""a\ud83db""#, "a\u{FFFD}b"),
            (r#""\ud83d\u0041""#, "\u{FFFD}A"),
            (r#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{FFFD}\u{1F600}"),
            (r#""\ud83d\n""#, "\u{FFFD}\n"),
        ] {
            assert!(matches!(read(text), Ok(Some(Json::Text(found))) if found == expected), "{text}");
        }
        assert!(read(r#""\ud83d\u12""#).is_err());
    }

    #[test]
    fn every_short_row_of_tokens_is_read_as_jsonc_parser_reads_it() {
        let tokens = ["{", "}", "[", "]", ",", ":", "\"a\"", "1", "true"];
        let mut rows = vec![String::new()];
        let mut from = 0;
        for _ in 0..5 {
            let upto = rows.len();
            for row in rows.get(from..).unwrap_or_default().to_vec() {
                rows.extend(tokens.map(|token| format!("{row}{token}")));
            }
            from = upto;
        }
        for row in rows {
            hold_against_jsonc_parser(&row);
        }
    }

    #[test]
    fn whole_numbers_are_those_of_a_json_schema() {
        for (digits, expected) in [
            ("0", Some(0)),
            ("-0.0", Some(0)),
            ("0e9", Some(0)),
            ("12", Some(12)),
            ("12.00", Some(12)),
            ("1.2e1", Some(12)),
            ("1200e-2", Some(12)),
            ("1e3", Some(1_000)),
            ("4294967295", Some(u32::MAX)),
            ("4294967296", None),
            ("1e99", None),
            ("1e999999999999", None),
            ("1.5", None),
            ("15e-1", None),
            ("-1", None),
        ] {
            assert_eq!(whole_number(digits, u32::MAX), expected, "{digits}");
        }
        assert_eq!((whole_number("7", 7), whole_number("8", 7)), (Some(7), None));
    }

    #[test]
    fn an_error_says_where() {
        for (wrong, what) in [
            (
                "{ \"a\": 1\n  \"b\": 2 }",
                "neither a comma nor the end of a list or an object on line 2 column 3, where \"\"b\": 2 }\" stands",
            ),
            ("{ \"a\": 01 }", "what is no value on line 1 column 8, where \"01 }\" stands"),
            (
                "[1, nothing that could be a value]",
                "what is no value on line 1 column 5, where \"nothing that could b\" stands",
            ),
            (
                "{ \"a\": 1",
                "neither a comma nor the end of a list or an object on line 1 column 9, where the text ends",
            ),
            ("{\n", "a name that is not in double quotes on line 2 column 1, where the text ends"),
        ] {
            assert_eq!(read(wrong).map(|_| ()), Err(what.to_owned()));
        }
    }
}
