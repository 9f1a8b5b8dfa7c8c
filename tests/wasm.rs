//! The boundary: JavaScript's objects in, JavaScript's objects out, through the bindings that JavaScript itself uses.
//!
//! `Core` is not a part of the library's Rust surface, so these tests take it from where JavaScript takes it: the module that
//! wasm-bindgen made of this test.

#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use js_sys::{Array, Function, JSON, Object, Reflect};
use todo_keeper as _;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

/// Where the class `Core` is found while the test runner's module is loaded.
const CORE: &str = "require(Object.keys(require.cache).find((file) => file.endsWith('wasm-bindgen-test.js'))).Core";

#[wasm_bindgen]
extern "C" {
    type Core;
    #[wasm_bindgen(method, catch)]
    fn start(this: &Core) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn handle(this: &Core, input: &JsValue, now: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn remembered(this: &Core) -> f64;
    #[wasm_bindgen(method)]
    fn free(this: &Core);
}

/// What a JavaScript expression gives.
fn js(expression: &str) -> JsValue {
    js_sys::eval(&format!("({expression})")).unwrap()
}

fn try_core(sources: &str) -> Result<Core, JsValue> {
    let class: Function = js(CORE).unchecked_into();
    Reflect::construct(&class, &Array::of1(&js(sources))).map(JsCast::unchecked_into)
}

fn core(sources: &str) -> Core {
    try_core(sources).unwrap()
}

/// A step as JSON, without its log lines: their wording is not the boundary's.
fn step(step: &JsValue) -> String {
    let effects: Array = Reflect::get(step, &"effects".into()).unwrap().unchecked_into();
    let is_log = |effect: JsValue, _, _| Reflect::get(&effect, &"type".into()).unwrap() != JsValue::from_str("log");
    Reflect::set(step, &"effects".into(), &effects.filter(&mut { is_log })).unwrap();
    JSON::stringify(step).unwrap().into()
}

fn handle(core: &Core, input: &str, now: f64) -> String {
    step(&core.handle(&js(input), now).unwrap())
}

/// The message of the error that an input is refused with.
fn refusal(core: &Core, input: &str) -> String {
    message(&core.handle(&js(input), 0.0).expect_err(input))
}

fn message(error: &JsValue) -> String {
    assert!(error.is_instance_of::<js_sys::Error>(), "{error:?} is no Error");
    Reflect::get(error, &"message".into()).unwrap().as_string().unwrap()
}

const MESSAGE: &str = "{ type: 'userMessage', session: 'ses_1', message: { id: 'msg_1', texts: 1, syntheticTexts: 0, \
     isCompaction: false, identity: { agent: 'build', model: { providerID: 'p', modelID: 'm' }, variant: 'high', \
     tools: { bash: false }, system: 's' } } }";
const TODOS: &str =
    "{ type: 'todosUpdated', session: 'ses_1', todos: [{ content: 'one', status: 'pending', priority: 'low' }] }";
const IDLE: &str = "{ type: 'sessionIdle', session: 'ses_1' }";
const NOTHING: &str = r#"{"effects":[],"wakeAt":null}"#;

/// A core in which a reminder is in view at 1,500.
fn in_view() -> Core {
    let core = core("[]");
    assert_eq!(handle(&core, MESSAGE, 1_000.0), NOTHING);
    assert_eq!(handle(&core, TODOS, 1_000.0), NOTHING);
    assert_eq!(handle(&core, IDLE, 1_000.0), r#"{"effects":[],"wakeAt":1500}"#);
    core
}

const SNAPSHOT: &str = "{ todos: [{ content: 'one', status: 'pending', priority: 'low' }], \
     info: { isArchived: false, isReverted: false, isCompacting: false, rules: [] }, active: [], agents: [] }";

fn fetched(snapshot: &str) -> String {
    format!("{{ type: 'fetched', request: 1, session: 'ses_1', snapshot: {snapshot} }}")
}

#[wasm_bindgen_test]
fn a_reminder_crosses_whole() {
    let core = in_view();
    let fetch = r#"{"effects":[{"type":"fetch","request":1,"session":"ses_1","history":0}],"wakeAt":11500}"#;
    assert_eq!(handle(&core, "{ type: 'wake' }", 1_500.0), fetch);

    let sent = core.handle(&js(&fetched(SNAPSHOT)), 1_500.0).unwrap();
    let text = js("(step) => { const it = step.effects.find(({ type }) => type === 'prompt'); const { text } = it; \
         delete it.text; return text }");
    let text = text.unchecked_into::<Function>().call1(&JsValue::NULL, &sent).unwrap().as_string().unwrap();
    assert!(text.contains("0 of 1 todos are done"), "{text}");
    assert_eq!(
        step(&sent),
        "{\"effects\":[{\"type\":\"prompt\",\"request\":2,\"session\":\"ses_1\",\"identity\":{\"agent\":\"build\",\
         \"model\":{\"providerID\":\"p\",\"modelID\":\"m\"},\"variant\":\"high\",\"tools\":{\"bash\":false},\
         \"system\":\"s\"},\"synthetic\":false,\"mark\":{\"reminder\":1},\"noReply\":false}],\"wakeAt\":61500}"
    );
    assert_eq!(handle(&core, "{ type: 'prompted', request: 2, session: 'ses_1' }", 1_600.0), NOTHING);
}

#[wasm_bindgen_test]
fn every_input_is_taken() {
    let core = core("[]");
    for input in [
        "{ type: 'sessionBusy', session: 's' }",
        "{ type: 'sessionRetrying', session: 's' }",
        "{ type: 'sessionIdle', session: 's' }",
        "{ type: 'sessionFailed', session: 's', error: { name: 'APIError', message: 'no' } }",
        "{ type: 'subagentSeen', session: 'c', parent: 's' }",
        "{ type: 'sessionDeleted', session: 'c' }",
        "{ type: 'userMessage', session: 's', message: { id: 'm', texts: 1, syntheticTexts: 0, isCompaction: false } }",
        "{ type: 'assistantMessage', session: 's', message: { id: 'm', finish: 'stop', todos: [[]] } }",
        "{ type: 'todosUpdated', session: 's', todos: [] }",
        "{ type: 'stepEnded', session: 's', message: 'm', reason: 'stop', hasCalls: false }",
        "{ type: 'asked', session: 's', ask: 'a' }",
        "{ type: 'answered', session: 's', ask: 'a' }",
        "{ type: 'fetched', request: 1, session: 's', snapshot: { history: { isWhole: true, messages: [\
           { role: 'user', id: 'm', texts: 0, syntheticTexts: 0, isCompaction: true }, { role: 'assistant', id: 'n' }] } } }",
        "{ type: 'prompted', request: 1, session: 's', error: { name: 'E', message: '' } }",
        "{ type: 'wake' }",
    ] {
        core.handle(&js(input), 0.0).expect(input);
    }
    assert!(core.remembered() > 0.0);
    core.handle(&js("{ type: 'sessionDeleted', session: 's' }"), 0.0).unwrap();
    assert!(core.remembered().abs() < 0.5);
}

#[wasm_bindgen_test]
fn a_step_is_made_of_plain_objects() {
    let core = core("[{ file: 'f', text: '{ \"enbled\": true }' }]");
    let first = core.start().unwrap();
    assert!(JsCast::is_instance_of::<Object>(&first));
    let effects = Reflect::get(&first, &"effects".into()).unwrap();
    assert!(Array::is_array(&effects));
    let log = Array::from(&effects).get(0);
    // What has no value is there as `null`: TypeScript's types say so.
    assert!(Reflect::get(&log, &"session".into()).unwrap().is_null());
    assert!(Reflect::get(&first, &"wakeAt".into()).unwrap().is_null());
    let wake_at = core.handle(&js(IDLE), 1_000.9).unwrap();
    assert!(Reflect::get(&wake_at, &"wakeAt".into()).unwrap().as_f64().is_some(), "a number, not a BigInt");
}

#[wasm_bindgen_test]
fn an_error_says_what_was_expected_where_and_leaves_the_core_usable() {
    let core = in_view();
    for (input, words) in [
        ("undefined", &["expected an object", "found nothing"][..]),
        ("null", &["expected an object", "found nothing"]),
        ("[]", &["expected an object", "found a list"]),
        ("'wake'", &["expected an object", "found a text"]),
        ("{}", &["type", "expected a text", "found nothing"]),
        ("{ type: 'sessionSlept', session: 's' }", &["type", "expected the name of an input", "another text"]),
        ("{ type: 'sessionIdle' }", &["session", "expected a text", "found nothing"]),
        ("{ type: 'sessionIdle', session: 5 }", &["session", "expected a text", "found a number"]),
        ("{ type: 'todosUpdated', session: 's', todos: {} }", &["todos", "expected a list", "found an object"]),
        ("{ type: 'userMessage', session: 's', message: {} }", &["message.id", "expected a text", "found nothing"]),
        ("{ type: 'subagentSeen', session: 's', parent: null }", &["parent", "expected a text", "found nothing"]),
        ("{ type: 'prompted', request: -1, session: 's' }", &["request", "expected a whole number", "another number"]),
        ("{ type: 'prompted', request: 1.5, session: 's' }", &["request", "expected a whole number", "another number"]),
        ("{ type: 'prompted', request: '1', session: 's' }", &["request", "expected a whole number", "found a text"]),
    ] {
        let said = refusal(&core, input);
        for word in words {
            assert!(said.contains(word), "{input}: {said}");
        }
    }
    // Where it was: the reminder is still in view.
    assert!(handle(&core, "{ type: 'wake' }", 1_500.0).contains("\"type\":\"fetch\""));
}

#[wasm_bindgen_test]
fn wrong_sources_are_refused_and_named() {
    for (sources, words) in [
        ("undefined", "expected a list"),
        ("{}", "expected a list"),
        ("[{ text: '{}' }]", "file"),
        ("[{ file: 'f', text: 5 }]", "text"),
    ] {
        let Err(error) = try_core(sources) else { panic!("{sources} was taken") };
        let said = message(&error);
        assert!(said.contains("sources") && said.contains(words), "{sources}: {said}");
    }
}

#[wasm_bindgen_test]
fn optional_fields_are_the_same_undefined_null_and_absent() {
    let answers = ["", "error: undefined, ", "error: null, "].map(|field| {
        let core = in_view();
        handle(&core, "{ type: 'wake' }", 1_500.0);
        handle(&core, &fetched(SNAPSHOT), 1_500.0);
        let taken = handle(&core, &format!("{{ {field}type: 'prompted', request: 2, session: 'ses_1' }}"), 1_600.0);
        // Were it taken for a failure, the session would be paused and this idle would not lead to a reminder.
        (taken, handle(&core, IDLE, 2_000.0))
    });
    assert_eq!(answers.each_ref(), [&answers[0]; 3]);
    assert!(answers[0].1.contains("2500"));

    let identity = "agent: 'a', model: { providerID: 'p', modelID: 'm' }";
    let prompts =
        ["", ", variant: undefined, tools: undefined, system: undefined", ", variant: null, tools: null, system: null"]
            .map(|rest| {
                let core = core("[]");
                let message = format!(
                    "{{ type: 'userMessage', session: 'ses_1', message: {{ id: 'm', texts: 1, syntheticTexts: 0, \
                 isCompaction: false, identity: {{ {identity}{rest} }} }} }}"
                );
                handle(&core, &message, 1_000.0);
                handle(&core, IDLE, 1_000.0);
                handle(&core, "{ type: 'wake' }", 1_500.0);
                handle(&core, &fetched(SNAPSHOT), 1_500.0)
            });
    assert_eq!(prompts.each_ref(), [&prompts[0]; 3]);
    assert!(prompts[0].contains("\"identity\":{\"agent\":\"a\",\"model\":{\"providerID\":\"p\",\"modelID\":\"m\"}}"));
}

#[wasm_bindgen_test]
fn numbers_are_javascripts() {
    let core = in_view();
    // Time with fractions, as `performance` has it, and a request whose number came through a float.
    handle(&core, "{ type: 'wake' }", 1_500.75);
    let sent = fetched(SNAPSHOT).replace("request: 1", "request: 2 / 2");
    assert!(handle(&core, &sent, 1_500.75).contains("\"type\":\"prompt\""));
    for now in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, f64::MAX] {
        core.handle(&js("{ type: 'wake' }"), now).unwrap();
    }
}

#[wasm_bindgen_test]
fn a_lone_surrogate_becomes_a_replacement_character() {
    let core = core("[{ file: 'f', text: '{ \"inProgressMessageFormat\": \"<{current_task}>\" }' }]");
    handle(&core, MESSAGE, 1_000.0);
    handle(&core, IDLE, 1_000.0);
    handle(&core, "{ type: 'wake' }", 1_500.0);
    let snapshot = SNAPSHOT.replace("content: 'one', status: 'pending'", "content: 'a\\ud800b', status: 'in_progress'");
    let sent = handle(&core, &fetched(&snapshot), 1_500.0);
    assert!(sent.contains("\"text\":\"<a\u{FFFD}b>"), "{sent}");
}

#[wasm_bindgen_test]
fn the_options_lines_come_once() {
    let core = core(
        "[{ file: 'f', text: '{ \"idleDelayMs\": \"soon\" }' }, { file: 'g', error: 'no' }, { file: 'h', text: null }]",
    );
    let first = JSON::stringify(&core.start().unwrap()).unwrap();
    let first = String::from(first);
    assert_eq!(first.matches("\"type\":\"log\"").count(), 3, "{first}");
    assert!(first.contains("f: idleDelayMs: expected a whole number"), "{first}");
    assert!(first.contains("g: expected a file that can be read, found no"), "{first}");
    assert_eq!(String::from(JSON::stringify(&core.start().unwrap()).unwrap()), NOTHING);
}

#[wasm_bindgen_test]
fn two_cores_know_nothing_of_each_other() {
    let (one, other) = (in_view(), core("[]"));
    assert!(one.remembered() > 0.5);
    assert!(other.remembered() < 0.5);
    one.free();
    assert_eq!(handle(&other, "{ type: 'wake' }", 1_500.0), NOTHING);
}
