//! From the wire to an [`Input`]. What the core cannot do without must be there; of what the host said, a malformed piece
//! counts as not said, where that cannot lead to a reminder that would not have come otherwise.

use super::{Agent, AssistantMessage, Failure, History, Identity, Input, Mark, Message, Model, Rule};
use super::{SessionInfo, Snapshot, UserMessage};
use crate::id::{MessageId, RequestId, SessionId};
use crate::todo::Todo;
use crate::wire::{Fields, Mismatch, Read, Wire};

pub(super) fn input(wire: Wire) -> Read<Input> {
    let mut fields = wire.fields()?;
    let kind = fields.read("type", Wire::text)?;
    if kind == "wake" {
        return Ok(Input::Wake);
    }
    let session = fields.read("session", session)?;
    Ok(match kind.as_str() {
        "sessionBusy" => Input::SessionBusy { session },
        "sessionRetrying" => Input::SessionRetrying { session },
        "sessionIdle" => Input::SessionIdle { session },
        "sessionFailed" => Input::SessionFailed { session, error: fields.read("error", failure)? },
        "subagentSeen" => Input::SubagentSeen { session, parent: fields.read("parent", self::session)? },
        "sessionDeleted" => Input::SessionDeleted { session },
        "userMessage" => {
            Input::UserMessage { session, message: fields.read("message", |message| user_message(message.fields()?))? }
        }
        "assistantMessage" => Input::AssistantMessage {
            session,
            message: fields.read("message", |message| assistant_message(message.fields()?))?,
        },
        "stepEnded" => Input::StepEnded {
            session,
            message: fields.read("message", Wire::text).map(MessageId)?,
            reason: fields.read("reason", Wire::text)?,
            has_calls: fields.read("hasCalls", flag)?,
        },
        "todosUpdated" => Input::TodosUpdated { session, todos: fields.read("todos", todos)? },
        "asked" => Input::Asked { session, ask: fields.read("ask", Wire::text)? },
        "answered" => Input::Answered { session, ask: fields.read("ask", Wire::text)? },
        "fetched" => {
            let request = fields.read("request", request)?;
            Input::Fetched { request, session, snapshot: fields.read("snapshot", snapshot)? }
        }
        "prompted" => {
            let request = fields.read("request", request)?;
            Input::Prompted { request, session, error: fields.read("error", |error| error.optional(failure))? }
        }
        _ => return Err(Mismatch::new("the name of an input", "another text").within("type")),
    })
}

fn session(wire: Wire) -> Read<SessionId> {
    wire.text().map(SessionId)
}

fn request(wire: Wire) -> Read<RequestId> {
    wire.count().map(RequestId)
}

fn failure(wire: Wire) -> Read<Failure> {
    let mut fields = wire.fields()?;
    let name = fields.read("name", Wire::text)?;
    Ok(Failure { name, message: fields.read("message", Wire::text).unwrap_or_default() })
}

fn user_message(mut fields: Fields) -> Read<UserMessage> {
    Ok(UserMessage {
        id: fields.read("id", Wire::text).map(MessageId)?,
        identity: fields.read("identity", identity).ok(),
        mark: fields.read("mark", |mark| mark.optional(|mark| Ok(self::mark(mark))))?,
        texts: fields.read("texts", count)?,
        synthetic_texts: fields.read("syntheticTexts", count)?,
        is_compaction: fields.read("isCompaction", flag)?,
    })
}

/// A half of an identity is none: a reminder that speaks as somebody else does harm.
pub(super) fn identity(wire: Wire) -> Read<Identity> {
    let mut fields = wire.fields()?;
    Ok(Identity {
        agent: fields.read("agent", Wire::text)?,
        model: fields.read("model", model)?,
        variant: fields.read("variant", |variant| variant.optional(Wire::text))?,
        tools: fields.read("tools", |tools| tools.optional(|tools| tools.fields()?.all(Wire::flag)))?,
        system: fields.read("system", |system| system.optional(Wire::text))?,
    })
}

fn model(wire: Wire) -> Read<Model> {
    let mut fields = wire.fields()?;
    Ok(Model { provider: fields.read("providerID", Wire::text)?, model: fields.read("modelID", Wire::text)? })
}

/// A mark of any kind tells that the message is the plugin's: taken for a person's, it would begin a new series.
fn mark(wire: Wire) -> Mark {
    let reminder = wire.fields().and_then(|mut fields| fields.read("reminder", Wire::count));
    Mark { reminder: reminder.unwrap_or_default() }
}

fn assistant_message(mut fields: Fields) -> Read<AssistantMessage> {
    Ok(AssistantMessage {
        id: fields.read("id", Wire::text).map(MessageId)?,
        error: fields.read("error", |error| error.optional(failure))?,
        finish: fields.read("finish", Wire::text).ok(),
        todos: fields.read("todos", |lists| lists.good(todos)).unwrap_or_default(),
    })
}

pub(crate) fn todos(wire: Wire) -> Read<Vec<Todo>> {
    wire.good(todo)
}

fn todo(wire: Wire) -> Read<Todo> {
    let mut fields = wire.fields()?;
    Ok(Todo {
        content: fields.read("content", Wire::text)?,
        status: fields.read("status", Wire::text)?,
        priority: fields.read("priority", Wire::text).unwrap_or_default(),
    })
}

fn snapshot(wire: Wire) -> Read<Snapshot> {
    let mut fields = wire.fields()?;
    Ok(Snapshot {
        todos: fields.read("todos", todos).ok(),
        info: fields.read("info", session_info).ok(),
        active: fields.read("active", |active| active.good(session)).ok(),
        agents: fields.read("agents", |agents| agents.good(agent)).ok(),
        history: fields.read("history", history).ok(),
    })
}

fn session_info(wire: Wire) -> Read<SessionInfo> {
    let mut fields = wire.fields()?;
    Ok(SessionInfo {
        parent: fields.read("parent", |parent| parent.optional(session))?,
        is_archived: fields.read("isArchived", flag)?,
        is_reverted: fields.read("isReverted", flag)?,
        is_compacting: fields.read("isCompacting", flag)?,
        rules: fields.read("rules", rules)?,
    })
}

fn agent(wire: Wire) -> Read<Agent> {
    let mut fields = wire.fields()?;
    Ok(Agent { name: fields.read("name", Wire::text)?, rules: fields.read("rules", rules)? })
}

fn rules(wire: Wire) -> Read<Vec<Rule>> {
    Ok(wire.optional(|rules| rules.good(rule))?.unwrap_or_default())
}

fn rule(wire: Wire) -> Read<Rule> {
    let mut fields = wire.fields()?;
    Ok(Rule {
        permission: fields.read("permission", Wire::text)?,
        pattern: fields.read("pattern", Wire::text)?,
        action: fields.read("action", Wire::text)?,
    })
}

/// With one message that cannot be read, what the others tell is not to be trusted: it may be the person's last one.
fn history(wire: Wire) -> Read<History> {
    let mut fields = wire.fields()?;
    let messages = fields.read("messages", |messages| messages.all(message))?;
    Ok(History { messages, is_whole: fields.read("isWhole", Wire::flag)? })
}

fn message(wire: Wire) -> Read<Message> {
    let mut fields = wire.fields()?;
    match fields.read("role", Wire::text)?.as_str() {
        "user" => user_message(fields).map(Message::User),
        "assistant" => assistant_message(fields).map(Message::Assistant),
        _ => Err(Mismatch::new("user or assistant", "another text").within("role")),
    }
}

/// A number that is 0 when it is absent.
fn count(wire: Wire) -> Read<u32> {
    Ok(wire.optional(Wire::count)?.unwrap_or_default())
}

/// A switch that is off when it is absent.
fn flag(wire: Wire) -> Read<bool> {
    Ok(wire.optional(Wire::flag)?.unwrap_or_default())
}
