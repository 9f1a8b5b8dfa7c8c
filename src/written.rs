//! What goes out, as a tree that is written value by value. serde's derive, with which the tests compare it, would bring a writer of
//! its own for each type.

use crate::effect::{Effect, Level, Step, ToastVariant};
use crate::id::{RequestId, SessionId};
use crate::input::Identity;
use crate::nudge::{Addition, Advice};
use crate::options::Placement;
use crate::todo::Todo;
use crate::todowrite::Guarded;
use crate::wire::Wire;

/// An object that is being written.
struct Object(Vec<(String, Wire)>);

impl Object {
    fn effect(kind: &str) -> Self {
        Self(Vec::with_capacity(8)).text("type", kind.to_owned())
    }

    fn with(mut self, name: &str, value: Wire) -> Self {
        self.0.push((name.to_owned(), value));
        self
    }

    fn text(self, name: &str, value: String) -> Self {
        self.with(name, Wire::Text(value))
    }

    fn flag(self, name: &str, value: bool) -> Self {
        self.with(name, Wire::Bool(value))
    }

    fn count(self, name: &str, value: u32) -> Self {
        self.with(name, Wire::Number(value.into()))
    }

    fn about(self, request: RequestId, session: SessionId) -> Self {
        self.count("request", request.0).text("session", session.0)
    }

    fn optional(self, name: &str, value: Option<Wire>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    fn done(self) -> Wire {
        Wire::Map(self.0)
    }
}

impl Step {
    /// As JavaScript gets it.
    pub(crate) fn written(self) -> Wire {
        #[expect(clippy::cast_precision_loss, reason = "JavaScript's times are no more exact")]
        let wake_at = self.wake_at.map_or(Wire::Null, |at| Wire::Number(at.0 as f64));
        Object(Vec::new()).with("effects", effects(self.effects)).with("wakeAt", wake_at).done()
    }
}

impl Advice {
    /// As JavaScript gets it.
    pub(crate) fn written(self) -> Wire {
        let addition = self.addition.map_or(Wire::Null, |Addition { text, placement }| {
            let placement = match placement {
                Placement::Tail => "tail",
                Placement::UserMessage => "userMessage",
            };
            Object(Vec::new()).text("text", text).text("placement", placement.to_owned()).done()
        });
        let object = Object(Vec::new()).with("effects", effects(self.effects));
        object.flag("isOpen", self.is_open).with("addition", addition).done()
    }
}

impl Guarded {
    /// As JavaScript gets it.
    pub(crate) fn written(self) -> Wire {
        let kept = self.kept.into_iter().map(todo).collect();
        Object(Vec::new()).with("effects", effects(self.effects)).with("kept", Wire::List(kept)).done()
    }
}

fn todo(Todo { content, status, priority }: Todo) -> Wire {
    Object(Vec::new()).text("content", content).text("status", status).text("priority", priority).done()
}

fn effects(effects: Vec<Effect>) -> Wire {
    Wire::List(effects.into_iter().map(effect).collect())
}

fn effect(effect: Effect) -> Wire {
    match effect {
        Effect::Fetch { request, session, history } => {
            Object::effect("fetch").about(request, session).count("history", history)
        }
        Effect::Prompt { request, session, text, identity, synthetic, mark } => {
            let mark = Object(Vec::new()).count("reminder", mark.reminder).done();
            let object = Object::effect("prompt").about(request, session).text("text", text);
            object.with("identity", self::identity(identity)).flag("synthetic", synthetic).with("mark", mark)
        }
        Effect::Scan { request, session, is_report } => {
            Object::effect("scan").about(request, session).flag("isReport", is_report)
        }
        Effect::Store { request, session, is_paused } => {
            Object::effect("store").about(request, session).flag("isPaused", is_paused)
        }
        Effect::Answer { session, text, identity } => {
            let object = Object::effect("answer").text("session", session.0).text("text", text);
            object.with("identity", self::identity(identity))
        }
        Effect::Toast { variant, title, message } => {
            let variant = match variant {
                ToastVariant::Info => "info",
                ToastVariant::Warning => "warning",
                ToastVariant::Error => "error",
            };
            Object::effect("toast").text("variant", variant.to_owned()).text("title", title).text("message", message)
        }
        Effect::Log { level, message, session, to_file } => {
            let level = match level {
                Level::Debug => "debug",
                Level::Info => "info",
                Level::Warn => "warn",
                Level::Error => "error",
            };
            let session = session.map_or(Wire::Null, |session| Wire::Text(session.0));
            let object = Object::effect("log").text("level", level.to_owned()).text("message", message);
            object.with("session", session).flag("toFile", to_file)
        }
    }
    .done()
}

fn identity(Identity { agent, model, variant, tools, system }: Identity) -> Wire {
    let model = Object(Vec::new()).text("providerID", model.provider).text("modelID", model.model).done();
    let tools =
        tools.map(|tools| Wire::Map(tools.into_iter().map(|(tool, is_on)| (tool, Wire::Bool(is_on))).collect()));
    let object = Object(Vec::new()).text("agent", agent).with("model", model);
    let object = object.optional("variant", variant.map(Wire::Text)).optional("tools", tools);
    object.optional("system", system.map(Wire::Text)).done()
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::{Value, to_value};

    use super::*;
    use crate::input::{Mark, Model};
    use crate::time::Millis;

    /// The tree as `serde_json` has it.
    fn json(wire: Wire) -> Value {
        match wire {
            Wire::Null => Value::Null,
            Wire::Bool(value) => value.into(),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and small")]
            Wire::Number(value) => (value as u64).into(),
            Wire::Text(value) => value.into(),
            Wire::List(items) => items.into_iter().map(json).collect(),
            Wire::Map(fields) => fields.into_iter().map(|(name, value)| (name, json(value))).collect(),
        }
    }

    #[track_caller]
    fn is_as_serde_writes(value: impl Serialize, written: Wire) {
        assert_eq!(to_value(value).ok(), Some(json(written)));
    }

    fn any_effects() -> Vec<Effect> {
        let session = SessionId("ses_1".to_owned());
        let model = Model { provider: "p".to_owned(), model: "m".to_owned() };
        let tools = Some(vec![("write".to_owned(), false), ("bash".to_owned(), true)]);
        let bare = Identity { agent: "build".to_owned(), model, variant: None, tools: None, system: None };
        let (variant, system) = (Some("high".to_owned()), Some("s".to_owned()));
        let whole = Identity { variant, tools, system, ..bare.clone() };
        let (request, mark, text) = (RequestId(7), Mark { reminder: 2 }, "go on".to_owned());
        let mut effects = vec![
            Effect::Fetch { request, session: session.clone(), history: 100 },
            Effect::Scan { request, session: session.clone(), is_report: true },
            Effect::Store { request, session: session.clone(), is_paused: true },
        ];
        for (identity, synthetic) in [(bare, true), (whole, false)] {
            let (session, text, identity) = (session.clone(), text.clone(), identity.clone());
            effects.push(Effect::Answer { session: session.clone(), text: text.clone(), identity: identity.clone() });
            effects.push(Effect::Prompt { request, session, text, identity, synthetic, mark });
        }
        for variant in [ToastVariant::Info, ToastVariant::Warning, ToastVariant::Error] {
            effects.push(Effect::Toast { variant, title: "t".to_owned(), message: "m".to_owned() });
        }
        for level in [Level::Debug, Level::Info, Level::Warn, Level::Error] {
            let session = (level == Level::Warn).then(|| session.clone());
            effects.push(Effect::Log { level, message: "m".to_owned(), session, to_file: level == Level::Info });
        }
        effects
    }

    #[test]
    fn everything_is_written_as_serde_writes_it() {
        for wake_at in [None, Some(Millis(1_700_000_000_000))] {
            let step = Step { effects: any_effects(), wake_at };
            is_as_serde_writes(step.clone(), step.written());
        }
        for placement in [Placement::Tail, Placement::UserMessage] {
            let addition = Some(Addition { text: "t".to_owned(), placement });
            let advice = Advice { effects: any_effects(), is_open: true, addition };
            is_as_serde_writes(advice.clone(), advice.written());
        }
        is_as_serde_writes(Advice::default(), Advice::default().written());
        let todo = Todo { content: "c".to_owned(), status: "s".to_owned(), priority: "p".to_owned() };
        let guarded = Guarded { effects: any_effects(), kept: vec![todo] };
        is_as_serde_writes(guarded.clone(), guarded.written());
    }
}
