//! What holds of the nudge (R9) whatever happens: against a model that recounts everything from the whole history.

#![cfg(not(target_family = "wasm"))]

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use todo_keeper::effect::Effect;
use todo_keeper::id::{MessageId, RequestId, SessionId};
use todo_keeper::input::{Agent, Identity, Input, Model, Rule, SessionInfo, Snapshot, UserMessage};
use todo_keeper::nudge::{Addition, Advice, Seen};
use todo_keeper::options::{Placement, Source};
use todo_keeper::plugin::Plugin;
use todo_keeper::time::Millis;
use todo_keeper::todo::Todo;

/// Something that happens to a session.
#[derive(Clone, Debug)]
enum Event {
    /// A request goes out, and the model answers it, perhaps with a call of a task tool.
    Turn(Answer),
    /// A request goes out and fails.
    Failure,
    /// The person writes, or anything else comes that is no request.
    Word,
    /// The list changes: this many todos, and whether any of them is active.
    List(usize, bool),
    /// The session is compacted. The host keeps this many of the last messages as they are.
    Compaction(usize),
    /// The person undoes this many of the last messages.
    Undo(usize),
    /// The host starts anew.
    Restart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Silent,
    TaskTool,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        30 => Just(Event::Turn(Answer::Silent)),
        2 => Just(Event::Turn(Answer::TaskTool)),
        2 => Just(Event::Failure),
        2 => Just(Event::Word),
        1 => (0_usize..4, any::<bool>()).prop_map(|(count, is_active)| Event::List(count, is_active)),
        1 => (0_usize..12).prop_map(Event::Compaction),
        1 => (1_usize..12).prop_map(Event::Undo),
        1 => Just(Event::Restart),
    ]
}

/// How often a nudge may come.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    after: usize,
    cooldown: usize,
}

fn bounds() -> impl Strategy<Value = Bounds> {
    (1_usize..10, 1_usize..10).prop_map(|(after, cooldown)| Bounds { after, cooldown })
}

/// A message of the whole history.
#[derive(Clone, Debug, PartialEq)]
enum Kept {
    Request(MessageId, Answer),
    Other,
}

/// The host: the whole history, and what of it the model is shown.
#[derive(Debug, Default)]
struct Host {
    last_id: u32,
    history: Vec<Kept>,
    /// How many messages of the history are not shown any more, behind a summary.
    hidden: Option<usize>,
    todos: Vec<Todo>,
}

impl Host {
    fn answer(&mut self, answer: Answer) {
        self.last_id += 1;
        self.history.push(Kept::Request(MessageId(format!("msg_{:06}", self.last_id)), answer));
    }

    /// What the hook is given, the latest message first.
    fn shown(&self) -> Vec<Seen> {
        let shown = self.history.iter().skip(self.hidden.unwrap_or_default()).rev();
        let summary = self.hidden.map(|_| [Seen::Summary, Seen::Other]);
        shown.map(seen).chain(summary.into_iter().flatten()).collect()
    }

    /// What the hook is given while a summary is written that keeps the last `kept` messages.
    fn summarised(&self, kept: usize) -> Vec<Seen> {
        let head = self.history.len().saturating_sub(kept).max(self.hidden.unwrap_or_default());
        self.history.iter().take(head).skip(self.hidden.unwrap_or_default()).rev().map(seen).collect()
    }

    fn compact(&mut self, kept: usize) {
        self.hidden = Some(self.history.len().saturating_sub(kept).max(self.hidden.unwrap_or_default()));
    }

    /// What is behind a summary cannot be undone here: the host would bring it back.
    fn undo(&mut self, count: usize) {
        let left = self.history.len().saturating_sub(count).max(self.hidden.unwrap_or_default());
        self.history.truncate(left);
    }

    fn is_active(&self) -> bool {
        self.todos.iter().any(|todo| todo.status != "completed")
    }
}

fn seen(kept: &Kept) -> Seen {
    match kept {
        Kept::Request(id, answer) => Seen::Request { id: id.clone(), called_task_tool: *answer == Answer::TaskTool },
        Kept::Other => Seen::Other,
    }
}

/// The naive model: knows every request that was ever shown, and recounts.
#[derive(Debug, Default)]
struct Recount {
    shown: BTreeSet<String>,
    /// What was shown when the last nudge went out.
    shown_at_nudge: Option<usize>,
}

impl Recount {
    fn see(&mut self, host: &Host) {
        let ids = host.history.iter().filter_map(|kept| match kept {
            Kept::Request(id, _) => Some(id.0.clone()),
            Kept::Other => None,
        });
        self.shown.extend(ids);
    }

    fn is_nudged(&mut self, host: &Host, bounds: Bounds) -> bool {
        self.see(host);
        let is_silent = |kept: &&Kept| !matches!(kept, Kept::Request(_, Answer::TaskTool));
        let silent = host.history.iter().rev().take_while(is_silent);
        let quiet = silent.filter(|kept| matches!(kept, Kept::Request(..))).count();
        let passed = self.shown_at_nudge.is_none_or(|then| self.shown.len() - then >= bounds.cooldown);
        let is_nudged = quiet >= bounds.after && passed && host.is_active();
        if is_nudged {
            self.shown_at_nudge = Some(self.shown.len());
        }
        is_nudged
    }
}

fn session() -> SessionId {
    SessionId("s".to_owned())
}

fn plugin(bounds: Bounds) -> Plugin {
    let Bounds { after, cooldown } = bounds;
    let text = format!(r#"{{ "nudge": {{ "afterRequests": {after}, "cooldownRequests": {cooldown} }} }}"#);
    let source = Source { file: "opencode.json".to_owned(), text: Some(text), error: None };
    let (plugin, first) = Plugin::new(&[source]);
    assert!(first.effects.is_empty(), "{first:?}");
    plugin
}

/// A request goes out: what is added to it, when the host answers what it is asked.
fn request(plugin: &mut Plugin, host: &Host, shown: &[Seen]) -> Advice {
    let advice = plugin.on_request(&session(), shown.iter().cloned());
    let asked = answer_fetches(
        plugin,
        &advice,
        &Snapshot { todos: Some(host.todos.clone()), info: Some(SessionInfo::default()), ..Snapshot::default() },
    );
    if asked && advice.is_open { plugin.on_request(&session(), shown.iter().cloned()) } else { advice }
}

fn answer_fetches(plugin: &mut Plugin, advice: &Advice, snapshot: &Snapshot) -> bool {
    let mut asked = false;
    for effect in &advice.effects {
        if let Effect::Fetch { request, session, .. } = effect {
            let (request, session, snapshot) = (*request, session.clone(), snapshot.clone());
            plugin.handle(Input::Fetched { request, session, snapshot }, Millis(0));
            asked = true;
        }
    }
    asked
}

fn todos(count: usize, is_active: bool) -> Vec<Todo> {
    let status = |index: usize| if is_active && index == 0 { "in_progress" } else { "completed" };
    let todo =
        |index| Todo { content: format!("todo {index}"), status: status(index).to_owned(), priority: String::new() };
    (0..count).map(todo).collect()
}

/// Plays `events` and tells of each request that went out to the model whether it carried a nudge.
fn play(bounds: Bounds, events: &[Event], mut look: impl FnMut(&mut Plugin, &Host, &Advice)) -> (Host, Vec<bool>) {
    let mut plugin = plugin(bounds);
    let mut host = Host { todos: todos(2, true), ..Host::default() };
    plugin.handle(Input::TodosUpdated { session: session(), todos: host.todos.clone() }, Millis(0));
    let mut nudged = Vec::new();
    for event in events {
        match event {
            Event::Turn(answer) => {
                let advice = request(&mut plugin, &host, &host.shown());
                look(&mut plugin, &host, &advice);
                nudged.push(advice.addition.is_some());
                host.answer(*answer);
            }
            Event::Failure => {
                let advice = request(&mut plugin, &host, &host.shown());
                look(&mut plugin, &host, &advice);
                nudged.push(advice.addition.is_some());
                host.history.push(Kept::Other);
            }
            Event::Word => host.history.push(Kept::Other),
            Event::List(count, is_active) => {
                host.todos = todos(*count, *is_active);
                plugin.handle(Input::TodosUpdated { session: session(), todos: host.todos.clone() }, Millis(0));
            }
            Event::Compaction(kept) => {
                plugin.on_compacting(&session());
                let advice = request(&mut plugin, &host, &host.summarised(*kept));
                assert_eq!(advice, Advice::default(), "a summary is not nudged");
                host.compact(*kept);
            }
            Event::Undo(count) => host.undo(*count),
            Event::Restart => plugin = self::plugin(bounds),
        }
    }
    (host, nudged)
}

/// Events without what makes the plugin forget: a restart, or an undo behind which a summary hides what was before.
fn remembered() -> impl Strategy<Value = Vec<Event>> {
    let undo_or_compaction = any::<bool>();
    (vec(event(), 0..120), undo_or_compaction).prop_map(|(events, with_undo)| {
        let is_kept = |event: &Event| match event {
            Event::Restart => false,
            Event::Compaction(_) => !with_undo,
            Event::Undo(_) => with_undo,
            Event::Turn(_) | Event::Failure | Event::Word | Event::List(..) => true,
        };
        events.into_iter().filter(is_kept).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_comes_when_a_recount_of_the_whole_history_says_so(bounds in bounds(), events in remembered()) {
        let mut recount = Recount::default();
        let mut expected = Vec::new();
        let (_, nudged) = play(bounds, &events, |_, host, _| expected.push(recount.is_nudged(host, bounds)));
        prop_assert_eq!(nudged, expected);
    }

    #[test]
    fn two_are_never_closer_than_the_cooldown(bounds in bounds(), events in vec(event(), 0..120)) {
        // A restart forgets the last one, which the person accepts by it.
        let events: Vec<Event> = events.into_iter().filter(|event| !matches!(event, Event::Restart)).collect();
        let (_, nudged) = play(bounds, &events, |_, _, _| ());
        let at: Vec<usize> = nudged.iter().enumerate().filter(|(_, is_nudged)| **is_nudged).map(|(at, _)| at).collect();
        for (one, next) in at.iter().zip(at.iter().skip(1)) {
            prop_assert!(next - one >= bounds.cooldown, "{at:?}");
        }
    }

    #[test]
    fn none_comes_without_an_active_todo(bounds in bounds(), events in vec(event(), 0..120)) {
        play(bounds, &events, |_, host, advice| {
            assert!(advice.addition.is_none() || host.is_active());
        });
    }

    #[test]
    fn after_a_restart_the_messages_alone_tell(bounds in bounds(), events in remembered()) {
        let without_compaction: Vec<Event> =
            events.into_iter().filter(|event| !matches!(event, Event::Compaction(_))).collect();
        let (host, _) = play(bounds, &without_compaction, |_, _, _| ());
        let mut plugin = plugin(bounds);
        let advice = request(&mut plugin, &host, &host.shown());
        prop_assert_eq!(advice.addition.is_some(), Recount::default().is_nudged(&host, bounds));
    }

    #[test]
    fn counting_the_same_messages_twice_changes_nothing(bounds in bounds(), events in vec(event(), 0..120)) {
        let (_, once) = play(bounds, &events, |_, _, _| ());
        let (_, twice) = play(bounds, &events, |plugin, host, advice| {
            // Not a nudged one: what goes out again is another request.
            if advice.addition.is_none() {
                let again = request(plugin, host, &host.shown());
                assert_eq!(again.addition, None);
            }
        });
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn a_subagent_gets_none(bounds in bounds(), is_told_by_event in any::<bool>(), shown in vec(any_seen(), 0..40)) {
        let mut plugin = plugin(bounds);
        let parent = SessionId("parent".to_owned());
        if is_told_by_event {
            plugin.handle(Input::SubagentSeen { session: session(), parent: parent.clone() }, Millis(0));
            plugin.handle(Input::TodosUpdated { session: session(), todos: todos(2, true) }, Millis(0));
        }
        for _ in 0..20 {
            let advice = plugin.on_request(&session(), shown.iter().cloned());
            prop_assert_eq!(&advice.addition, &None);
            let info = Some(SessionInfo { parent: Some(parent.clone()), ..SessionInfo::default() });
            answer_fetches(&mut plugin, &advice, &Snapshot { todos: Some(todos(2, true)), info, ..Snapshot::default() });
            prop_assert_eq!(plugin.on_compacting(&session()).addition, None);
        }
    }

    #[test]
    fn an_agent_without_the_tool_gets_none(bounds in bounds(), events in vec(event(), 0..60)) {
        let mut plugin = plugin(bounds);
        let rule = Rule { permission: "todo*".to_owned(), pattern: "*".to_owned(), action: "deny".to_owned() };
        let mut host = Host { todos: todos(2, true), ..Host::default() };
        for event in events {
            let advice = plugin.on_request(&session(), host.shown().into_iter());
            prop_assert_eq!(&advice.addition, &None);
            let agents = Some(vec![Agent { name: "build".to_owned(), rules: Vec::new() }]);
            let info = Some(SessionInfo { rules: vec![rule.clone()], ..SessionInfo::default() });
            let todos = Some(host.todos.clone());
            answer_fetches(&mut plugin, &advice, &Snapshot { todos, info, agents, ..Snapshot::default() });
            if let Event::Turn(answer) = event {
                host.answer(answer);
            }
        }
    }

    #[test]
    fn any_messages_are_survived(bounds in bounds(), lists in vec((vec(any_seen(), 0..40), any::<bool>()), 0..20)) {
        let mut plugin = plugin(bounds);
        plugin.handle(Input::TodosUpdated { session: session(), todos: todos(2, true) }, Millis(0));
        for (shown, is_summary) in lists {
            if is_summary {
                plugin.on_compacting(&session());
            }
            let advice = plugin.on_request(&session(), shown.iter().cloned());
            prop_assert!(!is_summary || advice.addition.is_none());
            let requests = shown.iter().filter(|seen| matches!(seen, Seen::Request { .. })).count();
            prop_assert!(advice.addition.is_none() || requests > 0 || shown.contains(&Seen::Summary));
        }
    }

    #[test]
    fn no_more_is_read_than_must_be(bounds in bounds(), requests in 1_usize..400) {
        let mut plugin = plugin(bounds);
        plugin.handle(Input::TodosUpdated { session: session(), todos: todos(2, true) }, Millis(0));
        let mut host = Host::default();
        for _ in 0..requests {
            host.answer(Answer::Silent);
        }
        let mut read = 0;
        plugin.on_request(&session(), host.shown().into_iter().inspect(|_| read += 1));
        prop_assert!(read <= bounds.after.min(requests), "{read} at first");
        host.answer(Answer::Silent);
        read = 0;
        plugin.on_request(&session(), host.shown().into_iter().inspect(|_| read += 1));
        prop_assert!(read <= 2, "{read} later");
    }
}

/// A message that need not fit to the others.
fn any_seen() -> impl Strategy<Value = Seen> {
    let id = prop_oneof![(0_u32..50).prop_map(|number| format!("msg_{number:02}")), ".{0,3}"];
    prop_oneof![
        6 => (id, any::<bool>()).prop_map(|(id, called_task_tool)| Seen::Request { id: MessageId(id), called_task_tool }),
        1 => Just(Seen::Summary),
        2 => Just(Seen::Other),
    ]
}

/// The shim is told nothing at all when there is nothing to do.
#[test]
fn advice_is_empty_when_it_asks_for_nothing() {
    let addition = Some(Addition { text: String::new(), placement: Placement::Tail });
    let effects = vec![Effect::Fetch { request: RequestId(1), session: session(), history: 0 }];
    assert!(Advice::default().is_empty());
    assert!(!Advice { effects, ..Advice::default() }.is_empty());
    assert!(!Advice { is_open: true, ..Advice::default() }.is_empty());
    assert!(!Advice { addition, ..Advice::default() }.is_empty());
}

/// R11: the summary of a compaction is asked to keep what is unfinished.
#[test]
fn a_summary_is_asked_to_keep_the_plan() {
    let mut plugin = plugin(Bounds { after: 8, cooldown: 8 });
    let mut asked = |todos: Vec<Todo>| {
        plugin.handle(Input::TodosUpdated { session: session(), todos }, Millis(0));
        plugin.on_compacting(&session()).addition.map(|addition| addition.text)
    };
    assert!(asked(todos(2, true)).is_some_and(|text| text.contains("todo 0") && !text.contains("todo 1")));
    assert_eq!(asked(todos(2, false)), None);
}

/// R9: at most 20 todos are listed, then how many more there are.
#[test]
fn what_is_too_long_is_counted() {
    let mut plugin = plugin(Bounds { after: 8, cooldown: 8 });
    let mut listed = |count: usize| {
        let todo =
            |index| Todo { content: format!("todo {index}"), status: "pending".to_owned(), priority: String::new() };
        plugin.handle(Input::TodosUpdated { session: session(), todos: (0..count).map(todo).collect() }, Millis(0));
        plugin.on_compacting(&session()).addition.map(|addition| addition.text).unwrap_or_default()
    };
    assert!(listed(20).contains("todo 19"));
    assert!(!listed(20).contains("more"), "{}", listed(20));
    assert!(listed(21).contains("todo 19") && !listed(21).contains("todo 20"));
    assert!(listed(21).contains("1 more"), "{}", listed(21));
}

/// R9: no nudge where the person's message took the task tool away, since nothing could end the silence.
#[test]
fn a_message_without_the_task_tool_is_not_nudged() {
    let is_nudged = |is_allowed: bool| {
        let bounds = Bounds { after: 1, cooldown: 1 };
        let (mut plugin, mut host) = (plugin(bounds), Host { todos: todos(2, true), ..Host::default() });
        request(&mut plugin, &host, &host.shown());
        let model = Model { provider: "p".to_owned(), model: "m".to_owned() };
        let tools = Some(vec![("todowrite".to_owned(), is_allowed)]);
        let identity = Identity { agent: "build".to_owned(), model, variant: None, tools, system: None };
        let message = UserMessage {
            id: MessageId("a".to_owned()),
            identity: Some(identity),
            mark: None,
            texts: 1,
            synthetic_texts: 0,
            is_compaction: false,
        };
        plugin.handle(Input::UserMessage { session: session(), message }, Millis(0));
        plugin.handle(Input::TodosUpdated { session: session(), todos: host.todos.clone() }, Millis(0));
        host.answer(Answer::Silent);
        plugin.on_request(&session(), host.shown().into_iter()).addition.is_some()
    };
    assert_eq!([is_nudged(true), is_nudged(false)], [true, false]);
}
