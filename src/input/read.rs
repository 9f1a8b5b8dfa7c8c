//! From the wire to an [`Input`]. What the core cannot do without must be there; of what the host said, a malformed piece
//! counts as not said, where that cannot lead to a reminder that would not have come otherwise.

use super::{Agent, AssistantMessage, Failure, History, Identity, Input, Mark, Message, Model, Rule};
use super::{SessionInfo, Snapshot, UserMessage};
use crate::id::{MessageId, RequestId, SessionId};
#[cfg(any(test, target_family = "wasm"))]
use crate::orphans::Other;
use crate::todo::Todo;
use todo_keeper_json::Json;
use todo_keeper_json::{Fields, Mismatch, Read};

pub(super) fn input(wire: Json<'_>) -> Read<Input> {
    let mut fields = wire.fields()?;
    let kind = fields.read("type", Json::text)?;
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
            message: fields.read("message", Json::text).map(MessageId)?,
            reason: fields.read("reason", Json::text)?,
            has_calls: fields.read("hasCalls", flag)?,
        },
        "todosUpdated" => Input::TodosUpdated { session, todos: fields.read("todos", todos)? },
        "asked" => Input::Asked { session, ask: fields.read("ask", Json::text)? },
        "answered" => Input::Answered { session, ask: fields.read("ask", Json::text)? },
        "fetched" => {
            let request = fields.read("request", request)?;
            Input::Fetched { request, session, snapshot: fields.read("snapshot", snapshot)? }
        }
        "command" => Input::Command { session, arguments: fields.read("arguments", Json::text)? },
        "remembered" => {
            let request = fields.read("request", request)?;
            Input::Remembered { request, session, error: fields.read("error", |error| error.optional(failure))? }
        }
        "prompted" => {
            let request = fields.read("request", request)?;
            Input::Prompted { request, session, error: fields.read("error", |error| error.optional(failure))? }
        }
        "scanned" => {
            let request = fields.read("request", request)?;
            Input::Scanned { request, session, table: fields.read("table", |table| table.optional(Json::text))? }
        }
        _ => return Err(Mismatch::new("the name of an input", "another text").within("type")),
    })
}

fn session(wire: Json<'_>) -> Read<SessionId> {
    wire.text().map(SessionId)
}

fn request(wire: Json<'_>) -> Read<RequestId> {
    wire.count().map(RequestId)
}

fn failure(wire: Json<'_>) -> Read<Failure> {
    let mut fields = wire.fields()?;
    let name = fields.read("name", Json::text)?;
    Ok(Failure { name, message: fields.read("message", Json::text).unwrap_or_default() })
}

fn user_message(mut fields: Fields<'_>) -> Read<UserMessage> {
    Ok(UserMessage {
        id: fields.read("id", Json::text).map(MessageId)?,
        identity: fields.read("identity", identity).ok(),
        mark: fields.read("mark", |mark| mark.optional(|mark| Ok(self::mark(mark))))?,
        texts: fields.read("texts", count)?,
        synthetic_texts: fields.read("syntheticTexts", count)?,
        is_compaction: fields.read("isCompaction", flag)?,
    })
}

/// A half of an identity is none: a reminder that speaks as somebody else does harm.
pub(super) fn identity(wire: Json<'_>) -> Read<Identity> {
    let mut fields = wire.fields()?;
    Ok(Identity {
        agent: fields.read("agent", Json::text)?,
        model: fields.read("model", model)?,
        variant: fields.read("variant", |variant| variant.optional(Json::text))?,
        tools: fields.read("tools", |tools| tools.optional(|tools| tools.fields()?.all(Json::flag)))?,
        system: fields.read("system", |system| system.optional(Json::text))?,
    })
}

fn model(wire: Json<'_>) -> Read<Model> {
    let mut fields = wire.fields()?;
    Ok(Model { provider: fields.read("providerID", Json::text)?, model: fields.read("modelID", Json::text)? })
}

/// A mark of any kind tells that the message is the plugin's: taken for a person's, it would begin a new series.
fn mark(wire: Json<'_>) -> Mark {
    let reminder = wire.fields().and_then(|mut fields| fields.read("reminder", Json::count));
    Mark { reminder: reminder.unwrap_or_default() }
}

fn assistant_message(mut fields: Fields<'_>) -> Read<AssistantMessage> {
    Ok(AssistantMessage {
        id: fields.read("id", Json::text).map(MessageId)?,
        error: fields.read("error", |error| error.optional(failure))?,
        finish: fields.read("finish", Json::text).ok(),
        todos: fields.read("todos", |lists| lists.good(todos)).unwrap_or_default(),
    })
}

pub(crate) fn todos(wire: Json<'_>) -> Read<Vec<Todo>> {
    wire.good(todo)
}

fn todo(wire: Json<'_>) -> Read<Todo> {
    let mut fields = wire.fields()?;
    Ok(Todo {
        content: fields.read("content", Json::text)?,
        status: fields.read("status", Json::text)?,
        priority: fields.read("priority", Json::text).unwrap_or_default(),
    })
}

/// The ids of sessions.
pub(crate) fn sessions(wire: Json<'_>) -> Read<Vec<SessionId>> {
    wire.good(session)
}

/// The other sessions; one that came malformed keeps its place and is left out.
#[cfg(any(test, target_family = "wasm"))]
pub(crate) fn others(wire: Json<'_>) -> Read<Vec<Other>> {
    wire.all(|wire| Ok(other(wire).unwrap_or_default()))
}

#[cfg(any(test, target_family = "wasm"))]
fn other(wire: Json<'_>) -> Read<Other> {
    let mut fields = wire.fields()?;
    let parent = fields.read("parent", |parent| parent.optional(Json::text))?;
    Ok(Other {
        session: fields.read("session", session)?,
        title: fields.read("title", Json::text)?,
        touched: fields.read("touched", Json::count)?,
        is_left_out: parent.is_some() || fields.read("isArchived", flag)?,
        todos: fields.read("todos", todos).unwrap_or_default(),
    })
}

fn snapshot(wire: Json<'_>) -> Read<Snapshot> {
    let mut fields = wire.fields()?;
    Ok(Snapshot {
        todos: fields.read("todos", todos).ok(),
        info: fields.read("info", session_info).ok(),
        active: fields.read("active", sessions).ok(),
        agents: fields.read("agents", |agents| agents.good(agent)).ok(),
        history: fields.read("history", history).ok(),
    })
}

fn session_info(wire: Json<'_>) -> Read<SessionInfo> {
    let mut fields = wire.fields()?;
    Ok(SessionInfo {
        parent: fields.read("parent", |parent| parent.optional(session))?,
        is_archived: fields.read("isArchived", flag)?,
        is_reverted: fields.read("isReverted", flag)?,
        is_compacting: fields.read("isCompacting", flag)?,
        is_paused: fields.read("isPaused", flag)?,
        rules: fields.read("rules", rules)?,
    })
}

fn agent(wire: Json<'_>) -> Read<Agent> {
    let mut fields = wire.fields()?;
    Ok(Agent { name: fields.read("name", Json::text)?, rules: fields.read("rules", rules)? })
}

fn rules(wire: Json<'_>) -> Read<Vec<Rule>> {
    Ok(wire.optional(|rules| rules.good(rule))?.unwrap_or_default())
}

fn rule(wire: Json<'_>) -> Read<Rule> {
    let mut fields = wire.fields()?;
    Ok(Rule {
        permission: fields.read("permission", Json::text)?,
        pattern: fields.read("pattern", Json::text)?,
        action: fields.read("action", Json::text)?,
    })
}

/// With one message that cannot be read, what the others tell is not to be trusted: it may be the person's last one.
fn history(wire: Json<'_>) -> Read<History> {
    let mut fields = wire.fields()?;
    let messages = fields.read("messages", |messages| messages.all(message))?;
    Ok(History { messages, is_whole: fields.read("isWhole", Json::flag)? })
}

fn message(wire: Json<'_>) -> Read<Message> {
    let mut fields = wire.fields()?;
    match fields.read("role", Json::text)?.as_str() {
        "user" => user_message(fields).map(Message::User),
        "assistant" => assistant_message(fields).map(Message::Assistant),
        _ => Err(Mismatch::new("user or assistant", "another text").within("role")),
    }
}

/// A number that is 0 when it is absent.
fn count(wire: Json<'_>) -> Read<u32> {
    Ok(wire.optional(Json::count)?.unwrap_or_default())
}

/// A switch that is off when it is absent.
fn flag(wire: Json<'_>) -> Read<bool> {
    Ok(wire.optional(Json::flag)?.unwrap_or_default())
}
