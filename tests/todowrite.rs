//! The guard as the plugin does it: for any present list and any call, whatever is known of the session.

#![cfg(not(target_family = "wasm"))]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, reason = "a test may stop")]

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use todo_keeper::effect::Effect;
use todo_keeper::guard::{Sent, fold, left_out, similarity};
use todo_keeper::id::SessionId;
use todo_keeper::input::Input;
use todo_keeper::options::Source;
use todo_keeper::plugin::Plugin;
use todo_keeper::time::Millis;
use todo_keeper::todo::Todo;

const NOW: Millis = Millis(1_800_000_000_000);

fn plugin() -> Plugin {
    Plugin::new(&[]).0
}

fn session(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

fn todo(content: &str, status: &str) -> Todo {
    Todo { content: content.to_owned(), status: status.to_owned(), priority: "high".to_owned() }
}

fn item<'a>(content: &'a str, status: &'a str) -> Sent<'a> {
    Sent { content: Some(content), status: Some(status) }
}

fn heard(plugin: &mut Plugin, name: &str, todos: &[Todo]) {
    plugin.handle(Input::TodosUpdated { session: session(name), todos: todos.to_vec() }, NOW);
}

fn is_unfinished(todo: &Todo) -> bool {
    matches!(todo.status.as_str(), "pending" | "in_progress" | "open")
}

#[test]
fn the_list_as_the_host_has_it_counts_before_the_one_last_heard_of() {
    let mut plugin = plugin();
    heard(&mut plugin, "s", &[todo("Heard", "pending")]);
    let present = [todo("Present", "in_progress"), todo("Done", "completed")];
    assert_eq!(plugin.on_todowrite(&session("s"), "1", Some(&present), &[]).kept, present[..1]);
    assert_eq!(plugin.on_todowrite(&session("s"), "2", Some(&[]), &[]).kept, []);
    assert_eq!(plugin.on_todowrite(&session("s"), "3", None, &[]).kept, [todo("Heard", "pending")]);
}

#[test]
fn a_subagents_list_is_guarded_by_what_was_last_heard_of_it() {
    let mut plugin = plugin();
    plugin.handle(Input::SubagentSeen { session: session("child"), parent: session("root") }, NOW);
    heard(&mut plugin, "child", &[todo("A", "pending")]);
    assert_eq!(plugin.on_todowrite(&session("child"), "1", None, &[]).kept, [todo("A", "pending")]);
    let line = plugin.on_todowrite_done(&session("child"), "1").unwrap();
    assert!(line.contains("\"A\""), "{line}");
    assert_eq!(plugin.on_todowrite(&session("root"), "1", None, &[]).kept, []);
}

#[test]
fn a_list_that_nobody_knows_is_said_in_the_log_and_leaves_the_call_alone() {
    let mut plugin = plugin();
    let guarded = plugin.on_todowrite(&session("s"), "1", None, &[item("A", "pending")]);
    assert_eq!(guarded.kept, []);
    assert!(
        matches!(&guarded.effects[..], [Effect::Log { message, session: Some(_), .. }] if message.contains("not known")),
        "{guarded:?}"
    );
    assert_eq!(plugin.on_todowrite_done(&session("s"), "1"), None);
}

#[test]
fn a_call_says_nothing_of_an_earlier_one_of_the_same_id() {
    let mut plugin = plugin();
    let present = [todo("A", "pending")];
    assert_eq!(plugin.on_todowrite(&session("s"), "1", Some(&present), &[]).kept.len(), 1);
    assert_eq!(plugin.on_todowrite(&session("s"), "1", None, &[]).kept.len(), 0);
    assert_eq!(plugin.on_todowrite_done(&session("s"), "1"), None);
}

#[test]
fn two_calls_that_were_guarded_by_the_same_list_drop_nothing_silently() {
    let mut plugin = plugin();
    let (a, b, c) = (todo("Alpha", "pending"), todo("Bravo", "pending"), todo("Charlie", "pending"));
    for (name, parent) in [("s", None), ("child", Some("s"))] {
        if let Some(parent) = parent {
            plugin.handle(Input::SubagentSeen { session: session(name), parent: session(parent) }, NOW);
        }
        heard(&mut plugin, name, std::slice::from_ref(&a));
        let present = [a.clone()];
        for (call, other) in [("1", "Bravo"), ("2", "Charlie")] {
            let sent = [item("Alpha", "pending"), item(other, "pending")];
            assert_eq!(plugin.on_todowrite(&session(name), call, Some(&present), &sent).kept, []);
        }
        heard(&mut plugin, name, &[a.clone(), b.clone()]);
        assert_eq!(plugin.on_todowrite_done(&session(name), "1"), None);
        heard(&mut plugin, name, &[a.clone(), c.clone()]);
        let line = plugin.on_todowrite_done(&session(name), "2").unwrap();
        assert!(line.starts_with("This list dropped 1 ") && line.contains("\"Bravo\""), "{line}");
        heard(&mut plugin, name, &[a.clone(), c.clone(), b.clone()]);
        assert_eq!(plugin.on_todowrite_done(&session(name), "3"), None);
    }
}

#[test]
fn without_the_guard_nothing_is_said_of_what_a_list_drops() {
    let source = Source {
        file: "opencode.json".to_owned(),
        text: Some(r#"{ "preserveUnfinishedTodos": false }"#.to_owned()),
        error: None,
    };
    let (mut plugin, _) = Plugin::new(&[source]);
    heard(&mut plugin, "s", &[todo("A", "pending")]);
    heard(&mut plugin, "s", &[]);
    assert_eq!(plugin.on_todowrite_done(&session("s"), "1"), None);
}

#[test]
fn a_session_that_was_deleted_leaves_nothing() {
    let mut plugin = plugin();
    heard(&mut plugin, "s", &[todo("A", "pending")]);
    plugin.on_todowrite(&session("s"), "1", None, &[]);
    plugin.handle(Input::SessionDeleted { session: session("s") }, NOW);
    assert_eq!(plugin.on_todowrite_done(&session("s"), "1"), None);
    assert_eq!(plugin.on_todowrite(&session("s"), "2", None, &[]).kept, []);
    assert_eq!(plugin.remembered(), 0);
}

#[test]
fn trigger_statuses_say_what_is_unfinished() {
    let source = Source {
        file: "opencode.json".to_owned(),
        text: Some(r#"{ "triggerStatuses": ["blocked"] }"#.to_owned()),
        error: None,
    };
    let (mut plugin, _) = Plugin::new(&[source]);
    let present = [todo("A", "blocked"), todo("B", "pending")];
    assert_eq!(plugin.on_todowrite(&session("s"), "1", Some(&present), &[]).kept, present[..1]);
}

#[test]
fn guarding_never_makes_a_session_known() {
    let mut plugin = plugin();
    for number in 0..1_000 {
        plugin.on_todowrite(&session(&number.to_string()), "1", Some(&[todo("A", "pending")]), &[]);
    }
    assert_eq!(plugin.remembered(), 0);
}

const CONTENTS: [&str; 12] = [
    "Fix login bug",
    "Fix the login bug",
    "fix  login bug",
    "Fix login bug (#1)",
    "Fix login bug (#2)",
    "1. Fix login bug",
    "Login bug fix",
    "Add parser tests",
    "Add tests for the parser",
    "ADD PARSER TESTS",
    "",
    "修复错误",
];

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![8 => prop::sample::select(CONTENTS.to_vec()).prop_map(String::from), 1 => ".{0,12}"]
}

fn any_status() -> impl Strategy<Value = String> {
    let known = ["pending", "in_progress", "open", "completed", "cancelled", "blocked", ""];
    prop_oneof![8 => prop::sample::select(known.to_vec()).prop_map(String::from), 1 => ".{0,5}"]
}

fn any_list() -> impl Strategy<Value = Vec<Todo>> {
    let any_todo = (any_text(), any_status()).prop_map(|(content, status)| todo(&content, &status));
    prop::collection::vec(any_todo, 0..8)
}

/// What a model sends; one item in some is malformed.
fn any_sent() -> impl Strategy<Value = Vec<(Option<String>, Option<String>)>> {
    let content = prop_oneof![8 => any_text().prop_map(Some), 1 => Just(None)];
    let status = prop_oneof![8 => any_status().prop_map(Some), 1 => Just(None)];
    prop::collection::vec((content, status), 0..8)
}

#[derive(Clone, Debug)]
enum Happening {
    Heard(usize, Vec<Todo>),
    Subagent(usize, usize),
    Deleted(usize),
    Idle(usize),
    /// A call: the host answered with the list or not; the args could be changed or not; the tool ran or failed.
    Call {
        session: usize,
        id: usize,
        present: Option<Vec<Todo>>,
        sent: Vec<(Option<String>, Option<String>)>,
        is_refused: bool,
        is_done: bool,
    },
}

const SESSIONS: [&str; 3] = ["a", "b", "c"];
const IDS: [&str; 3] = ["call_0", "call_1", "call_2"];

fn any_happening() -> impl Strategy<Value = Happening> {
    let at = 0..SESSIONS.len();
    let call = (at.clone(), 0..IDS.len(), prop::option::of(any_list()), any_sent(), any::<bool>(), any::<bool>());
    prop_oneof![
        3 => (at.clone(), any_list()).prop_map(|(session, todos)| Happening::Heard(session, todos)),
        1 => (at.clone(), at.clone()).prop_map(|(session, parent)| Happening::Subagent(session, parent)),
        1 => at.clone().prop_map(Happening::Deleted),
        1 => at.prop_map(Happening::Idle),
        6 => call.prop_map(|(session, id, present, sent, is_refused, is_done)| Happening::Call {
            session, id, present, sent, is_refused, is_done
        }),
    ]
}

fn is_same_task(a: &str, b: &str) -> bool {
    a == b || fold(a) == fold(b) || similarity(a, b).is_some()
}

/// How many of `old` can have a counterpart of their own in `new`: augmenting paths.
fn counterparts(old: &[&str], new: &[&str]) -> usize {
    fn place(
        left: usize,
        old: &[&str],
        new: &[&str],
        owner: &mut BTreeMap<usize, usize>,
        seen: &mut Vec<usize>,
    ) -> bool {
        for right in 0..new.len() {
            if seen.contains(&right) || !is_same_task(old[left], new[right]) {
                continue;
            }
            seen.push(right);
            let before = owner.get(&right).copied();
            if before.is_none_or(|before| place(before, old, new, owner, seen)) {
                owner.insert(right, left);
                return true;
            }
        }
        false
    }
    let mut owner = BTreeMap::new();
    (0..old.len()).filter(|left| place(*left, old, new, &mut owner, &mut Vec::new())).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_unfinished_todo_has_its_counterpart_afterwards(happenings in prop::collection::vec(any_happening(), 0..16)) {
        let mut plugin = plugin();
        // The model of what is known: the list last heard of each session, and how many todos each open call kept.
        let mut last: BTreeMap<usize, Vec<Todo>> = BTreeMap::new();
        let mut open: BTreeMap<(usize, usize), (usize, bool)> = BTreeMap::new();
        // The sessions whose next call is told of todos that a list was written without.
        let mut dropped: BTreeSet<usize> = BTreeSet::new();
        for happening in happenings {
            match happening {
                Happening::Heard(at, todos) => {
                    heard(&mut plugin, SESSIONS[at], &todos);
                    let sent: Vec<Sent<'_>> = todos.iter().map(|todo| item(&todo.content, &todo.status)).collect();
                    let before = last.get(&at).map(Vec::as_slice).unwrap_or_default();
                    let is_pending = |status: &str| is_unfinished(&todo("", status));
                    if !left_out(before, &sent, is_pending).is_empty() {
                        dropped.insert(at);
                    }
                    last.insert(at, todos);
                }
                Happening::Subagent(at, parent) => {
                    let input = Input::SubagentSeen { session: session(SESSIONS[at]), parent: session(SESSIONS[parent]) };
                    plugin.handle(input, NOW);
                    // A session that turns out to be a subagent's may be taken up anew.
                    if plugin.on_todowrite(&session(SESSIONS[at]), "probe", None, &[]).effects.iter().any(says_unknown) {
                        last.remove(&at);
                    }
                    plugin.on_todowrite_done(&session(SESSIONS[at]), "probe");
                    dropped.remove(&at);
                }
                Happening::Deleted(at) => {
                    plugin.handle(Input::SessionDeleted { session: session(SESSIONS[at]) }, NOW);
                    last.remove(&at);
                    dropped.remove(&at);
                    open.retain(|(session, _), _| *session != at);
                }
                Happening::Idle(at) => {
                    plugin.handle(Input::SessionIdle { session: session(SESSIONS[at]) }, NOW);
                }
                Happening::Call { session: at, id, present, sent, is_refused, is_done } => {
                    let (name, call) = (session(SESSIONS[at]), IDS[id]);
                    let items: Vec<Sent<'_>> = sent
                        .iter()
                        .map(|(content, status)| Sent { content: content.as_deref(), status: status.as_deref() })
                        .collect();
                    let guarded = plugin.on_todowrite(&name, call, present.as_deref(), &items);
                    let old = present.or_else(|| last.get(&at).cloned());
                    prop_assert_eq!(old.is_none(), guarded.effects.iter().any(says_unknown));
                    let old = old.unwrap_or_default();
                    prop_assert!(guarded.kept.iter().all(is_unfinished));

                    let result: Vec<&str> = sent
                        .iter()
                        .filter_map(|(content, _)| content.as_deref())
                        .chain(guarded.kept.iter().map(|todo| todo.content.as_str()))
                        .collect();
                    let unfinished: Vec<&str> =
                        old.iter().filter(|todo| is_unfinished(todo)).map(|todo| todo.content.as_str()).collect();
                    prop_assert_eq!(counterparts(&unfinished, &result), unfinished.len(), "{:?} in {:?}", unfinished, result);

                    open.remove(&(at, id));
                    if !guarded.kept.is_empty() {
                        open.insert((at, id), (guarded.kept.len(), is_refused));
                    }
                    if is_refused {
                        plugin.on_todowrite_refused(&name, call);
                    }
                    if is_done {
                        let line = plugin.on_todowrite_done(&name, call);
                        let told = open.remove(&(at, id));
                        let (kept, lost) = match told {
                            Some((count, false)) => (Some(count), false),
                            Some((_, true)) => (None, true),
                            None => (None, false),
                        };
                        let line = line.unwrap_or_default();
                        let starts = kept.map(|count| format!("Kept {count} unfinished todo"));
                        let is_lost = dropped.remove(&at) || lost;
                        let starts: Vec<String> =
                            starts.into_iter().chain(is_lost.then(|| "This list dropped ".to_owned())).collect();
                        prop_assert_eq!(line.lines().count(), starts.len(), "{}", line);
                        for (line, start) in line.lines().zip(starts) {
                            prop_assert!(line.starts_with(&start) && line.contains("`cancelled`"), "{}", line);
                            prop_assert!(!line.contains(['\r', '<', '>']), "{}", line);
                        }
                        prop_assert_eq!(plugin.on_todowrite_done(&name, call), None, "told once");
                    }
                }
            }
        }
    }
}

fn says_unknown(effect: &Effect) -> bool {
    matches!(effect, Effect::Log { message, .. } if message.contains("not known"))
}
