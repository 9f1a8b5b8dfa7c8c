use serde_json::{Value, json, to_string, to_value};

use super::*;
use crate::id::{MessageId, RequestId};

fn every_input() -> Vec<Input> {
    let session = || SessionId("ses_1".to_owned());
    let failure = || Failure { name: "APIError".to_owned(), message: "overloaded".to_owned() };
    let todo = || Todo { content: "a".to_owned(), status: "pending".to_owned(), priority: "high".to_owned() };
    let rule = || Rule { permission: "*".to_owned(), pattern: "*".to_owned(), action: "deny".to_owned() };
    let user = |identity, mark| UserMessage {
        id: MessageId("msg_1".to_owned()),
        identity,
        mark,
        texts: 2,
        synthetic_texts: 1,
        is_compaction: true,
    };
    let identity = Identity {
        agent: "build".to_owned(),
        model: Model { provider: "p".to_owned(), model: "m".to_owned() },
        variant: Some("high".to_owned()),
        tools: Some(vec![("write".to_owned(), false), ("bash".to_owned(), true)]),
        system: Some("s".to_owned()),
    };
    let plain = Identity { variant: None, tools: None, system: None, ..identity.clone() };
    let assistant = |error, finish, todos| AssistantMessage { id: MessageId("msg_2".to_owned()), error, finish, todos };
    let snapshot = Snapshot {
        todos: Some(vec![todo()]),
        info: Some(SessionInfo {
            parent: Some(session()),
            is_archived: true,
            is_reverted: true,
            is_compacting: true,
            is_paused: true,
            rules: vec![rule()],
        }),
        active: Some(vec![session()]),
        agents: Some(vec![Agent { name: "build".to_owned(), rules: vec![rule(), rule()] }]),
        history: Some(History {
            messages: vec![
                Message::User(user(Some(plain.clone()), None)),
                Message::Assistant(assistant(None, Some("stop".to_owned()), vec![vec![todo()], Vec::new()])),
            ],
            is_whole: true,
        }),
    };
    vec![
        Input::SessionBusy { session: session() },
        Input::SessionRetrying { session: session() },
        Input::SessionIdle { session: session() },
        Input::SessionFailed { session: session(), error: failure() },
        Input::SubagentSeen { session: session(), parent: session() },
        Input::SessionDeleted { session: session() },
        Input::UserMessage { session: session(), message: user(Some(identity), Some(Mark { reminder: 3 })) },
        Input::UserMessage { session: session(), message: user(Some(plain), None) },
        Input::UserMessage { session: session(), message: user(None, None) },
        Input::AssistantMessage { session: session(), message: assistant(Some(failure()), None, Vec::new()) },
        Input::TodosUpdated { session: session(), todos: vec![todo(), todo()] },
        Input::Asked { session: session(), ask: "per_1".to_owned() },
        Input::Answered { session: session(), ask: "per_1".to_owned() },
        Input::Fetched { request: RequestId(u32::MAX), session: session(), snapshot },
        Input::Fetched { request: RequestId(0), session: session(), snapshot: Snapshot::default() },
        Input::StepEnded {
            session: session(),
            message: MessageId("msg_2".to_owned()),
            reason: "stop".to_owned(),
            has_calls: true,
        },
        Input::Prompted { request: RequestId(1), session: session(), error: Some(failure()) },
        Input::Prompted { request: RequestId(2), session: session(), error: None },
        Input::Scanned { request: RequestId(3), session: session(), table: Some("a\nb".to_owned()) },
        Input::Scanned { request: RequestId(4), session: session(), table: None },
        Input::Wake,
    ]
}

fn read(value: &Value) -> Result<Input, String> {
    Input::from_json(&value.to_string())
}

fn refusal(value: &Value) -> String {
    read(value).map_or_else(|error| error, |input| format!("{input:?}"))
}

#[test]
fn every_input_comes_back_as_it_was_written() {
    for input in every_input() {
        let written = to_string(&input).unwrap_or_default();
        assert_eq!(Input::from_json(&written).ok(), Some(input), "{written}");
    }
}

#[test]
fn an_input_is_written_as_the_types_say() {
    let idle = json!({ "type": "sessionIdle", "session": "ses_1" });
    assert!(matches!(read(&idle), Ok(Input::SessionIdle { session }) if session.0 == "ses_1"));
    let written: Vec<Value> = every_input().iter().map(|input| to_value(input).unwrap_or_default()).collect();
    let identity = written.iter().find_map(|input| input.pointer("/message/identity"));
    let expected = json!({
        "agent": "build", "model": { "providerID": "p", "modelID": "m" }, "variant": "high",
        "tools": { "write": false, "bash": true }, "system": "s",
    });
    assert_eq!(identity, Some(&expected));
    let roles = written.iter().find_map(|input| input.pointer("/snapshot/history/messages/1/role"));
    assert_eq!(roles, Some(&json!("assistant")));
}

#[test]
fn what_is_missing_or_of_another_kind_is_named_with_its_place() {
    let message = |message: Value| json!({ "type": "userMessage", "session": "s", "message": message });
    for (value, expected) in [
        (json!(null), "input: expected an object, found nothing"),
        (json!([]), "input: expected an object, found a list"),
        (json!({}), "input.type: expected a text, found nothing"),
        (json!({ "type": "wakeUp", "session": "s" }), "input.type: expected the name of an input, found another text"),
        (json!({ "type": "sessionIdle" }), "input.session: expected a text, found nothing"),
        (json!({ "type": "sessionIdle", "session": {} }), "input.session: expected a text, found an object"),
        (message(json!({ "id": 7 })), "input.message.id: expected a text, found a number"),
        (message(json!(true)), "input.message: expected an object, found true or false"),
        (
            message(json!({ "id": "m", "texts": 1.5 })),
            "input.message.texts: expected a whole number from 0 to 4294967295, found another number",
        ),
        (
            message(json!({ "id": "m", "texts": "1" })),
            "input.message.texts: expected a whole number from 0 to 4294967295, found a text",
        ),
        (
            json!({ "type": "prompted", "session": "s", "request": -1 }),
            "input.request: expected a whole number from 0 to 4294967295, found another number",
        ),
        (
            json!({ "type": "todosUpdated", "session": "s", "todos": {} }),
            "input.todos: expected a list, found an object",
        ),
    ] {
        assert_eq!(refusal(&value), expected, "{value}");
    }
}

#[test]
fn a_malformed_piece_of_what_the_host_said_counts_as_not_said() {
    let snapshot = |snapshot: Value| {
        let value = json!({ "type": "fetched", "request": 1, "session": "s", "snapshot": snapshot });
        match read(&value) {
            Ok(Input::Fetched { snapshot, .. }) => snapshot,
            _ => Snapshot { active: Some(Vec::new()), ..Snapshot::default() },
        }
    };
    assert_eq!(snapshot(json!({})), Snapshot::default());
    let odd = json!({ "todos": 1, "info": [], "active": {}, "agents": "x", "history": { "messages": [] } });
    assert_eq!(snapshot(odd), Snapshot::default());
    let one_bad_message = json!({ "isWhole": true, "messages": [{ "role": "user", "id": "m" }, { "role": "robot" }] });
    assert_eq!(snapshot(json!({ "history": one_bad_message })), Snapshot::default());
    assert_eq!(snapshot(json!({ "info": { "rules": [], "isArchived": 1 } })), Snapshot::default());

    let good = json!({ "content": "a", "status": "b" });
    let some = snapshot(json!({ "todos": [null, good, { "content": 1 }, "x"] }));
    assert_eq!(some.todos.map(|todos| todos.len()), Some(1));
}

#[test]
fn a_malformed_identity_is_none_and_a_malformed_mark_is_one() {
    let message = |identity: Value, mark: Value| {
        let message = json!({ "id": "m", "identity": identity, "mark": mark });
        match read(&json!({ "type": "userMessage", "session": "s", "message": message })) {
            Ok(Input::UserMessage { message, .. }) => Some((message.identity.is_some(), message.mark)),
            _ => None,
        }
    };
    let whole = json!({ "agent": "a", "model": { "providerID": "p", "modelID": "m" } });
    assert_eq!(message(whole, json!(null)), Some((true, None)));
    assert_eq!(message(json!(""), json!(true)), Some((false, Some(Mark { reminder: 0 }))));
    let half = json!({ "agent": "a", "model": { "providerID": "p", "modelID": "m" }, "tools": { "bash": "no" } });
    assert_eq!(message(half, json!({ "reminder": 4 })), Some((false, Some(Mark { reminder: 4 }))));
}

#[test]
fn what_lies_too_deep_is_not_looked_at() {
    let mut deep = json!(1);
    for _ in 0..90 {
        deep = json!([deep]);
    }
    let value = json!({ "type": "sessionIdle", "session": "s", "more": deep });
    assert!(matches!(read(&value), Ok(Input::SessionIdle { .. })));
}
