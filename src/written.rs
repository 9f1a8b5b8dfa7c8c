//! What goes out, written as JSON. serde's derive, with which the tests compare it, would bring a writer of its own for each
//! type.

use crate::effect::{Effect, Level, Step, ToastVariant};
use crate::id::{RequestId, SessionId};
use crate::input::Identity;
use crate::nudge::{Addition, Advice};
use crate::options::Placement;
use crate::todo::Todo;
use crate::todowrite::Guarded;
use todo_keeper_json::push_text;

/// An object that is being written.
struct Object(String);

impl Object {
    fn new() -> Self {
        Self(String::from("{"))
    }

    fn effect(kind: &str) -> Self {
        Self::new().text("type", kind)
    }

    /// Adds a field of which the value is written already.
    fn with(mut self, name: &str, value: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_text(&mut self.0, name);
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    fn text(mut self, name: &str, value: &str) -> Self {
        self = self.with(name, "");
        push_text(&mut self.0, value);
        self
    }

    fn flag(self, name: &str, value: bool) -> Self {
        self.with(name, if value { "true" } else { "false" })
    }

    fn count(self, name: &str, value: u32) -> Self {
        self.with(name, &value.to_string())
    }

    fn about(self, request: RequestId, session: &SessionId) -> Self {
        self.count("request", request.0).text("session", &session.0)
    }

    fn optional(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(name, value),
            None => self,
        }
    }

    fn done(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    let mut list = String::from("[");
    for item in items {
        if list.len() > 1 {
            list.push(',');
        }
        list.push_str(&item);
    }
    list.push(']');
    list
}

impl Step {
    /// As JavaScript gets it.
    pub(crate) fn written(&self) -> String {
        let wake_at = self.wake_at.map(|at| at.0.to_string());
        let object = Object::new().with("effects", &effects(&self.effects));
        object.with("wakeAt", wake_at.as_deref().unwrap_or("null")).done()
    }
}

impl Advice {
    /// As JavaScript gets it.
    pub(crate) fn written(&self) -> String {
        let addition = self.addition.as_ref().map(|Addition { text, placement }| {
            let placement = match placement {
                Placement::Tail => "tail",
                Placement::UserMessage => "userMessage",
            };
            Object::new().text("text", text).text("placement", placement).done()
        });
        let object = Object::new().with("effects", &effects(&self.effects)).flag("isOpen", self.is_open);
        object.with("addition", addition.as_deref().unwrap_or("null")).done()
    }
}

impl Guarded {
    /// As JavaScript gets it.
    pub(crate) fn written(&self) -> String {
        let kept = list(self.kept.iter().map(todo));
        Object::new().with("effects", &effects(&self.effects)).with("kept", &kept).done()
    }
}

fn todo(Todo { content, status, priority }: &Todo) -> String {
    Object::new().text("content", content).text("status", status).text("priority", priority).done()
}

fn effects(effects: &[Effect]) -> String {
    list(effects.iter().map(effect))
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Fetch { request, session, history } => {
            Object::effect("fetch").about(*request, session).count("history", *history)
        }
        Effect::Prompt { request, session, text, identity, synthetic, mark, no_reply } => {
            let mark = Object::new().count("reminder", mark.reminder).done();
            let object = Object::effect("prompt").about(*request, session).text("text", text);
            object
                .with("identity", &self::identity(identity))
                .flag("synthetic", *synthetic)
                .with("mark", &mark)
                .flag("noReply", *no_reply)
        }
        Effect::Scan { request, session, is_report } => {
            Object::effect("scan").about(*request, session).flag("isReport", *is_report)
        }
        Effect::Remember { request, session, is_paused } => {
            Object::effect("remember").about(*request, session).flag("isPaused", *is_paused)
        }
        Effect::Answer { session, text, identity } => {
            let object = Object::effect("answer").text("session", &session.0).text("text", text);
            object.with("identity", &self::identity(identity))
        }
        Effect::Unsend { session, request, message } => {
            let object = Object::effect("unsend").about(*request, session);
            match message {
                Some(message) => object.text("message", &message.0),
                None => object.with("message", "null"),
            }
        }
        Effect::Toast { variant, title, message } => {
            let variant = match variant {
                ToastVariant::Info => "info",
                ToastVariant::Warning => "warning",
                ToastVariant::Error => "error",
            };
            Object::effect("toast").text("variant", variant).text("title", title).text("message", message)
        }
        Effect::Log { level, message, session, to_file } => {
            let level = match level {
                Level::Debug => "debug",
                Level::Info => "info",
                Level::Warn => "warn",
                Level::Error => "error",
            };
            let object = Object::effect("log").text("level", level).text("message", message);
            let object = match session {
                Some(session) => object.text("session", &session.0),
                None => object.with("session", "null"),
            };
            object.flag("toFile", *to_file)
        }
    }
    .done()
}

fn identity(Identity { agent, model, variant, tools, system }: &Identity) -> String {
    let model = Object::new().text("providerID", &model.provider).text("modelID", &model.model).done();
    let mut object = Object::new().text("agent", agent).with("model", &model).optional("variant", variant.as_deref());
    if let Some(tools) = tools {
        let add = |object: Object, (tool, is_on): &(String, bool)| object.flag(tool, *is_on);
        object = object.with("tools", &tools.iter().fold(Object::new(), add).done());
    }
    object.optional("system", system.as_deref()).done()
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::{Value, from_str, to_value};

    use super::*;
    use crate::id::MessageId;
    use crate::input::{Mark, Model};
    use crate::time::Millis;

    #[track_caller]
    fn is_as_serde_writes(value: impl Serialize, written: &str) {
        let written: Option<Value> = from_str(written).ok();
        assert_eq!(to_value(value).ok(), written);
    }

    fn any_effects() -> Vec<Effect> {
        let session = SessionId("ses_1".to_owned());
        let model = Model { provider: "p".to_owned(), model: "m".to_owned() };
        let tools = Some(vec![("wri\\te".to_owned(), false), ("bash".to_owned(), true)]);
        let bare = Identity { agent: "build".to_owned(), model, variant: None, tools: None, system: None };
        let (variant, system) = (Some("high".to_owned()), Some("s".to_owned()));
        let whole = Identity { variant, tools, system, ..bare.clone() };
        let odd = "a \"b\"\\n\\\\ \u{1}\u{1f}\u{7f}\u{2028}é\u{1F600}\\u0041".to_owned();
        let (request, mark, text) = (RequestId(7), Mark { reminder: 2 }, odd);
        let mut effects = vec![
            Effect::Fetch { request, session: session.clone(), history: 100 },
            Effect::Scan { request, session: session.clone(), is_report: true },
            Effect::Remember { request, session: session.clone(), is_paused: true },
            Effect::Unsend { session: session.clone(), request, message: None },
            Effect::Unsend { session: session.clone(), request, message: Some(MessageId("msg_1".to_owned())) },
        ];
        for (identity, synthetic) in [(bare, true), (whole, false)] {
            let (session, text, identity) = (session.clone(), text.clone(), identity.clone());
            effects.push(Effect::Answer { session: session.clone(), text: text.clone(), identity: identity.clone() });
            effects.push(Effect::Prompt { request, session, text, identity, synthetic, mark, no_reply: synthetic });
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
            is_as_serde_writes(&step, &step.written());
        }
        for placement in [Placement::Tail, Placement::UserMessage] {
            let addition = Some(Addition { text: "t".to_owned(), placement });
            let advice = Advice { effects: any_effects(), is_open: true, addition };
            is_as_serde_writes(&advice, &advice.written());
        }
        is_as_serde_writes(Advice::default(), &Advice::default().written());
        let todo = Todo { content: "c".to_owned(), status: "s".to_owned(), priority: "p".to_owned() };
        let guarded = Guarded { effects: any_effects(), kept: vec![todo] };
        is_as_serde_writes(&guarded, &guarded.written());
    }
}
