//! The words of a scenario, and the values that they stand for.

use std::collections::VecDeque;
use std::mem;

use todo_keeper::id::{MessageId, RequestId, SessionId};
use todo_keeper::input::{
    Agent, AssistantMessage, Failure, History, Identity, Mark, Message, Model, Rule, SessionInfo, Snapshot, UserMessage,
};
use todo_keeper::todo::Todo;

/// The words of a line that are still to be read.
pub(crate) struct Words(VecDeque<String>);

impl Words {
    /// Splits at white space; quotation marks keep it, and a comma at the end of a word is a word.
    pub(crate) fn of(text: &str) -> Result<Self, String> {
        let mut words = VecDeque::new();
        let mut word = String::new();
        let mut is_quoted = false;
        let mut chars = text.chars().chain([' ']).peekable();
        while let Some(c) = chars.next() {
            match c {
                '"' => is_quoted = !is_quoted,
                '\\' if is_quoted => word.push(escaped(&mut chars)?),
                ',' if !is_quoted && chars.peek().is_none_or(|next| next.is_whitespace()) => {
                    words.extend([mem::take(&mut word), ",".to_owned()]);
                }
                c if c.is_whitespace() && !is_quoted => words.push_back(mem::take(&mut word)),
                c => word.push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        if is_quoted { Err("expected a closing quotation mark".to_owned()) } else { Ok(Self(words)) }
    }

    /// The next word.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.0.pop_front()
    }

    /// The next word, which must be there.
    pub(crate) fn expect(&mut self, what: &str) -> Result<String, String> {
        self.next().ok_or_else(|| format!("expected {what}, found the end of the line"))
    }

    /// All words up to the next comma.
    pub(crate) fn up_to_comma(&mut self) -> Self {
        let at = self.0.iter().position(|word| word == ",").unwrap_or(self.0.len());
        let rest = self.0.split_off(at);
        let item = mem::replace(&mut self.0, rest);
        self.next();
        Self(item)
    }

    /// Whether this word is there; takes it.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|word| word == name);
        at.and_then(|at| self.0.remove(at)).is_some()
    }

    /// What follows `prefix` in the first word that begins with it; takes the word.
    pub(crate) fn value(&mut self, prefix: &str) -> Option<String> {
        let at = self.0.iter().position(|word| word.starts_with(prefix))?;
        self.0.remove(at)?.strip_prefix(prefix).map(str::to_owned)
    }

    /// The word after the word `name`; takes both.
    pub(crate) fn after(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|word| word == name)?;
        self.0.remove(at)?;
        self.0.remove(at)
    }

    /// The session that `@…` names, or `s`.
    pub(crate) fn session(&mut self) -> SessionId {
        SessionId(self.value("@").unwrap_or_else(|| "s".to_owned()))
    }

    /// The request that `#…` names.
    pub(crate) fn request(&mut self) -> Result<Option<RequestId>, String> {
        self.value("#").map(|digits| number(&digits).map(RequestId)).transpose()
    }

    /// Nothing may be left unread.
    pub(crate) fn end(self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err(format!("expected no more words, found {:?}", self.0)) }
    }
}

fn escaped(chars: &mut impl Iterator<Item = char>) -> Result<char, String> {
    match chars.next() {
        Some('n') => Ok('\n'),
        Some('u') => {
            let digits: String = chars.skip_while(|c| *c == '{').take_while(|c| *c != '}').collect();
            let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
            code.ok_or_else(|| format!("expected a code point, found {digits}"))
        }
        other => other.ok_or_else(|| "expected a character after the backslash".to_owned()),
    }
}

/// A number.
pub(crate) fn number<N: std::str::FromStr>(digits: &str) -> Result<N, String> {
    digits.parse().map_err(|_| format!("expected a number, found {digits}"))
}

/// A time: `900`, or `+500` after `base`.
pub(crate) fn time(word: &str, base: u64) -> Result<u64, String> {
    match word.strip_prefix('+') {
        Some(delay) => Ok(base + number::<u64>(delay)?),
        None => number(word),
    }
}

/// An error and what it said.
pub(crate) fn failure(name: String, message: Option<String>) -> Failure {
    Failure { name, message: message.unwrap_or_default() }
}

/// The error in `error=Name` or `error=Name:"what it said"`.
pub(crate) fn error(words: &mut Words) -> Option<Failure> {
    let text = words.value("error=")?;
    let (name, message) = text.split_once(':').unwrap_or((&text, ""));
    Some(failure(name.to_owned(), Some(message.to_owned())))
}

/// The list that the remaining words make.
pub(crate) fn todos(words: &mut Words) -> Result<Vec<Todo>, String> {
    std::iter::from_fn(|| words.next()).map(|word| todo(&word)).collect()
}

fn todo(word: &str) -> Result<Todo, String> {
    let (content, status) = word.rsplit_once(':').ok_or_else(|| format!("expected content:status, found {word}"))?;
    Ok(Todo { content: content.to_owned(), status: status.to_owned(), priority: "medium".to_owned() })
}

/// The usual person, with what the words change.
pub(crate) fn identity(words: &mut Words) -> Result<Identity, String> {
    let model = words.value("model=").unwrap_or_else(|| "p/m".to_owned());
    let (provider, model) = model.split_once('/').ok_or("expected model=provider/model")?;
    Ok(Identity {
        agent: words.value("agent=").unwrap_or_else(|| "build".to_owned()),
        model: Model { provider: provider.to_owned(), model: model.to_owned() },
        variant: words.value("variant="),
        tools: words.value("tools=").map(|text| tools(&text)).transpose()?,
        system: words.value("system="),
    })
}

fn tools(text: &str) -> Result<Vec<(String, bool)>, String> {
    let tool = |pair: &str| {
        let (name, switch) = pair.split_once(':')?;
        Some((name.to_owned(), switch.parse().ok()?))
    };
    text.split(',').map(|pair| tool(pair).ok_or_else(|| format!("expected tool:true, found {pair}"))).collect()
}

/// A user message, the words after `user`.
pub(crate) fn user_message(words: &mut Words) -> Result<UserMessage, String> {
    let id = MessageId(words.expect("a message's id")?);
    let identity = if words.flag("anonymous") { None } else { Some(identity(words)?) };
    let mark = words.value("mark=").map(|digits| number(&digits)).transpose()?;
    let is_compaction = words.flag("compaction");
    let (texts, synthetic_texts) = match () {
        () if words.flag("synthetic") => (1, 1),
        () if words.flag("mixed") => (2, 1),
        () if words.flag("textless") || is_compaction => (0, 0),
        () => (1, 0),
    };
    let mark = mark.map(|reminder| Mark { reminder });
    Ok(UserMessage { id, identity, mark, texts, synthetic_texts, is_compaction })
}

/// An assistant message, the words after `assistant`.
pub(crate) fn assistant_message(words: &mut Words) -> Result<AssistantMessage, String> {
    let id = MessageId(words.expect("a message's id")?);
    let (error, finish) = (error(words), words.value("finish="));
    let todos = if words.flag("todos") { vec![todos(words)?] } else { Vec::new() };
    Ok(AssistantMessage { id, error, finish, todos })
}

/// The messages below an answer; `None` when there are none.
pub(crate) fn history(lines: &[&str]) -> Result<Option<History>, String> {
    let (is_whole, lines) = match lines.split_first() {
        None => return Ok(None),
        Some((first, rest)) if first.trim() == "…" => (false, rest),
        Some(_) => (true, lines),
    };
    let messages: Result<Vec<Message>, String> = lines.iter().map(|line| message(line)).collect();
    Ok(Some(History { messages: messages?, is_whole }))
}

fn message(line: &str) -> Result<Message, String> {
    let mut words = Words::of(line)?;
    let message = match words.expect("user or assistant")?.as_str() {
        "user" => Message::User(user_message(&mut words)?),
        "assistant" => Message::Assistant(assistant_message(&mut words)?),
        other => return Err(format!("expected user or assistant, found {other}")),
    };
    words.end()?;
    Ok(message)
}

/// What the host says of a session, the words after `fetched`.
pub(crate) fn snapshot(words: &mut Words) -> Result<Snapshot, String> {
    let info = SessionInfo {
        parent: words.value("parent=").map(SessionId),
        is_archived: words.flag("archived"),
        is_reverted: words.flag("reverted"),
        is_compacting: words.flag("compacting"),
        is_paused: words.flag("paused"),
        rules: values(words, "session-rule=").map(|text| rule(&text)).collect::<Result<_, _>>()?,
    };
    let info = (!words.flag("gone")).then_some(info);
    let active = words.value("active=").unwrap_or_default();
    let active = Some(active.split(',').filter(|id| !id.is_empty()).map(|id| SessionId(id.to_owned())).collect());
    let agents = values(words, "rule=").map(|text| agent(&text)).collect::<Result<_, _>>()?;
    let agents = (!words.flag("agents-unknown")).then_some(agents);
    let todos = if words.flag("unknown") { None } else { Some(todos(words)?) };
    Ok(Snapshot { todos, info, active, agents, history: None })
}

fn values<'a>(words: &'a mut Words, prefix: &'a str) -> impl Iterator<Item = String> + 'a {
    std::iter::from_fn(move || words.value(prefix))
}

fn agent(text: &str) -> Result<Agent, String> {
    let (name, rest) = text.split_once('/').ok_or_else(|| format!("expected agent/tool/action, found {text}"))?;
    Ok(Agent { name: name.to_owned(), rules: vec![rule(rest)?] })
}

fn rule(text: &str) -> Result<Rule, String> {
    let (permission, action) = text.split_once('/').ok_or_else(|| format!("expected tool/action, found {text}"))?;
    Ok(Rule { permission: permission.to_owned(), pattern: "*".to_owned(), action: action.to_owned() })
}
