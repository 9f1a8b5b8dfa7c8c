//! What comes in: the host's events and answers, reduced by the shim to what the core needs.

pub(crate) mod read;

use serde::{Serialize, Serializer};

use crate::id::{MessageId, RequestId, SessionId};
use crate::todo::Todo;
use todo_keeper_json::Read;
use todo_keeper_json::{self as json, Json};

/// One thing that happened. The shim reduces opencode's events to these and drops all others.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Input {
    /// A turn runs: `session.status` of type `busy`.
    SessionBusy {
        /// The session that runs.
        session: SessionId,
    },
    /// A turn runs and waits to ask the provider again: `session.status` of type `retry`. This is no error (R4).
    SessionRetrying {
        /// The session that runs.
        session: SessionId,
    },
    /// A turn ended: `session.status` of type `idle`, or `session.idle`. Both come, sometimes twice.
    SessionIdle {
        /// The session that went idle.
        session: SessionId,
    },
    /// `session.error` with a session.
    SessionFailed {
        /// The session whose turn or prompt failed.
        session: SessionId,
        /// What went wrong.
        error: Failure,
    },
    /// `session.created` or `session.updated` of a session that has a parent.
    SubagentSeen {
        /// The subagent's session.
        session: SessionId,
        /// The session that started it.
        parent: SessionId,
    },
    /// `session.deleted`.
    SessionDeleted {
        /// The session that is gone.
        session: SessionId,
    },
    /// The `chat.message` hook: a user message, a person's or one that a plugin sent, before it is stored.
    UserMessage {
        /// The session that it was written to.
        session: SessionId,
        /// The message.
        message: UserMessage,
    },
    /// `message.updated` of an assistant message that is completed or has an error.
    AssistantMessage {
        /// The session that it belongs to.
        session: SessionId,
        /// The message.
        message: AssistantMessage,
    },
    /// `message.part.updated` with a `step-finish`: the model has said all that it says in this step.
    StepEnded {
        /// The session that it belongs to.
        session: SessionId,
        /// The assistant message.
        message: MessageId,
        /// Why the model stopped: `stop`, `tool-calls`, `length`, …
        reason: String,
        /// Whether it called tools: the turn then goes on, whatever the reason.
        has_calls: bool,
    },
    /// `todo.updated`: the whole new list.
    TodosUpdated {
        /// The session whose list it is.
        session: SessionId,
        /// The list.
        todos: Vec<Todo>,
    },
    /// `permission.asked` or `question.asked`: the person has to decide.
    Asked {
        /// The session that waits.
        session: SessionId,
        /// The id of the permission or the question.
        ask: String,
    },
    /// `permission.replied`, `question.replied` or `question.rejected`.
    Answered {
        /// The session that waited.
        session: SessionId,
        /// The id of the permission or the question.
        ask: String,
    },
    /// The answer to [`Effect::Fetch`](crate::effect::Effect::Fetch).
    Fetched {
        /// The request that it answers.
        request: RequestId,
        /// The session that was asked about.
        session: SessionId,
        /// What the host said.
        snapshot: Snapshot,
    },
    /// The answer to [`Effect::Prompt`](crate::effect::Effect::Prompt).
    Prompted {
        /// The request that it answers.
        request: RequestId,
        /// The session that was prompted.
        session: SessionId,
        /// Why the host did not take the prompt, or `None` when it did.
        error: Option<Failure>,
    },
    /// The answer to [`Effect::Scan`](crate::effect::Effect::Scan).
    Scanned {
        /// The request that it answers.
        request: RequestId,
        /// The session that is to be reminded.
        session: SessionId,
        /// What the reminder says of other sessions ([`orphans::text`](crate::orphans::text)), or `None` when that could not
        /// be found out.
        table: Option<String>,
    },
    /// The person gave the command `/todo-keeper`.
    Command {
        /// The session in which it was given.
        session: SessionId,
        /// What stood behind the command's name.
        arguments: String,
    },
    /// The answer to [`Effect::Remember`](crate::effect::Effect::Remember).
    Remembered {
        /// The request that it answers.
        request: RequestId,
        /// The session.
        session: SessionId,
        /// Why the host did not store it, or `None` when it did.
        error: Option<Failure>,
    },
    /// The alarm at `wake_at` rang. Early, late and superfluous ones do no harm.
    Wake,
}

/// An error as opencode names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// opencode's name of the error, like `MessageAbortedError`.
    pub name: String,
    /// What the provider or the host said; may be empty. Untrusted.
    pub message: String,
}

/// A user message, whoever wrote it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    /// The message.
    pub id: MessageId,
    /// As whom it speaks, or `None` when the host did not say.
    pub identity: Option<Identity>,
    /// The mark that this plugin put on it, when it is the plugin's own (R3).
    pub mark: Option<Mark>,
    /// How many parts of it are text.
    pub texts: u32,
    /// How many of its text parts are synthetic.
    pub synthetic_texts: u32,
    /// Whether compaction wrote it.
    pub is_compaction: bool,
}

impl UserMessage {
    /// Whether a person sent it: no mark of this plugin, not compaction's, not of synthetic texts alone.
    #[must_use]
    pub fn is_real(&self) -> bool {
        let is_synthetic = self.texts > 0 && self.synthetic_texts >= self.texts;
        self.mark.is_none() && !self.is_compaction && !is_synthetic
    }
}

/// As whom a prompt speaks: what the person chose with the last message (R3).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// The agent's name.
    pub agent: String,
    /// The model.
    pub model: Model,
    /// The variant of the model, when one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Tools that the message switched on or off, in its order, when it did.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_object")]
    pub tools: Option<Vec<(String, bool)>>,
    /// The system prompt that the message brought, when it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
}

/// A model, as opencode names it in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Model {
    /// The provider's id.
    #[serde(rename = "providerID")]
    pub provider: String,
    /// The model's id at that provider.
    #[serde(rename = "modelID")]
    pub model: String,
}

/// The mark on the plugin's own messages: a part's `metadata["opencode-todo-keeper"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// The number of the reminder since the last real user message, from 1.
    pub reminder: u32,
}

/// What matters of an assistant message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// The message.
    pub id: MessageId,
    /// Its error, when it has one.
    pub error: Option<Failure>,
    /// Why the model stopped: `stop`, `tool-calls`, `length`, …; `None` while it runs.
    pub finish: Option<String>,
    /// The lists that its `todowrite` calls wrote, in order. Filled in histories only.
    pub todos: Vec<Vec<Todo>>,
}

/// What the host knows of a session at one moment. What could not be found out, or came malformed, is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// The session's todos.
    pub todos: Option<Vec<Todo>>,
    /// The session itself.
    pub info: Option<SessionInfo>,
    /// The ids of all sessions that are not idle.
    pub active: Option<Vec<SessionId>>,
    /// The agents and what they may do.
    pub agents: Option<Vec<Agent>>,
    /// The last messages, oldest first, when they were asked for.
    pub history: Option<History>,
}

/// A session as `GET /session/{id}` describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own that the host tells")]
pub struct SessionInfo {
    /// The session that started this one, when it is a subagent's.
    pub parent: Option<SessionId>,
    /// Whether the session is archived.
    pub is_archived: bool,
    /// Whether the person undid messages (`revert`).
    pub is_reverted: bool,
    /// Whether the session is being compacted.
    pub is_compacting: bool,
    /// Whether its person paused it with `/todo-keeper pause`.
    pub is_paused: bool,
    /// The permissions that prompts with `tools` left on the session.
    pub rules: Vec<Rule>,
}

/// An agent of the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// The agent's name.
    pub name: String,
    /// Its permissions, in the host's order.
    pub rules: Vec<Rule>,
}

/// One permission, as opencode resolves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// The tool or a pattern of tools: `*` stands for any run, `?` for one character.
    pub permission: String,
    /// What of the tool is meant; `*` for all of it.
    pub pattern: String,
    /// `allow`, `ask` or `deny`.
    pub action: String,
}

impl Rule {
    /// The rule that `tools: { [tool]: is_allowed }` in a prompt leaves on the session.
    pub(crate) fn of_tool(tool: &str, is_allowed: bool) -> Self {
        let action = if is_allowed { "allow" } else { "deny" };
        Self { permission: tool.to_owned(), pattern: "*".to_owned(), action: action.to_owned() }
    }
}

/// The last messages of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Whether there is nothing before them.
    pub is_whole: bool,
}

/// A message of a history.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Message {
    /// A user message.
    User(UserMessage),
    /// An assistant message.
    Assistant(AssistantMessage),
}

impl Input {
    /// Reads an input as `src/wasm.d.ts` describes it, from JSON.
    ///
    /// # Errors
    ///
    /// What was expected, what came, and where.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let value = json::read(text)?.unwrap_or(Json::Null);
        Self::read(value).map_err(|wrong| wrong.to_string())
    }

    fn read(value: Json<'_>) -> Read<Self> {
        read::input(value).map_err(|wrong| wrong.within("input"))
    }
}

/// Pairs as JavaScript has them, in an object that keeps their order.
#[expect(clippy::ref_option, reason = "serde hands in the field as it is")]
fn as_object<S: Serializer>(pairs: &Option<Vec<(String, bool)>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().flatten().map(|(name, value)| (name, value)))
}

#[cfg(test)]
mod tests;
