//! Arbitrary inputs: sensible often enough that reminders come, and otherwise anything.

use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use todo_keeper::id::{MessageId, RequestId, SessionId};
use todo_keeper::input::{
    Agent, AssistantMessage, Failure, History, Identity, Input, Mark, Message, Model, Rule, SessionInfo, Snapshot,
    UserMessage,
};
use todo_keeper::todo::Todo;

/// The sessions that there are.
pub(crate) const SESSIONS: [&str; 3] = ["s", "t", "u"];

/// One thing that happens.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) act: Act,
    /// How many milliseconds later than the move before.
    pub(crate) ahead: u64,
    /// How many milliseconds the clock that tells it is behind.
    pub(crate) back: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Anything, made-up answers included.
    Happen(Input),
    /// The alarm rings when it is due.
    Alarm,
    /// The host answers one of the open fetches, or the latest.
    Answer(Option<Index>, Snapshot),
    /// The host answers one of the open scans, or the latest.
    Scan(Option<Index>, Option<String>),
    /// The host stores what one of the open requests, or the latest, asked it to, or does not.
    Remember(Option<Index>, Option<Failure>),
    /// The host answers one of the open prompts, or the latest.
    Take(Option<Index>, Option<Failure>),
}

impl Move {
    pub(crate) fn now(input: Input) -> Self {
        Self { act: Act::Happen(input), ahead: 0, back: 0 }
    }

    pub(crate) fn is_answer_or_wake(&self) -> bool {
        match &self.act {
            Act::Alarm | Act::Answer(..) | Act::Scan(..) | Act::Remember(..) | Act::Take(..) => true,
            Act::Happen(input) => is_answer(input) || matches!(input, Input::Wake),
        }
    }

    /// Whether a person gives a command.
    pub(crate) fn is_command(&self) -> bool {
        matches!(&self.act, Act::Happen(Input::Command { .. }))
    }

    /// Whether this may make a subagent of `root`.
    pub(crate) fn makes_subagent_of(&self, root: &SessionId) -> bool {
        match &self.act {
            Act::Happen(Input::SubagentSeen { session, .. }) => session == root,
            Act::Answer(_, snapshot) | Act::Happen(Input::Fetched { snapshot, .. }) => {
                snapshot.info.as_ref().is_some_and(|info| info.parent.is_some())
            }
            Act::Happen(_) | Act::Alarm | Act::Scan(..) | Act::Remember(..) | Act::Take(..) => false,
        }
    }
}

/// Whether this answers a request.
pub(crate) fn is_answer(input: &Input) -> bool {
    matches!(input, Input::Fetched { .. } | Input::Scanned { .. } | Input::Remembered { .. } | Input::Prompted { .. })
}

pub(crate) fn session(id: &str) -> SessionId {
    SessionId(id.to_owned())
}

/// The person speaks in `root` when all sessions are idle, and the turn ends.
pub(crate) fn short_turn(root: &SessionId, idle_delay: u64) -> Vec<Move> {
    let message = UserMessage {
        id: MessageId("m9999".to_owned()),
        identity: Some(person("build")),
        mark: None,
        texts: 1,
        synthetic_texts: 0,
        is_compaction: false,
    };
    let mut moves: Vec<Move> = SESSIONS.map(|id| Move::now(Input::SessionIdle { session: session(id) })).into();
    moves.push(Move::now(Input::UserMessage { session: root.clone(), message }));
    moves.push(Move::now(Input::SessionIdle { session: root.clone() }));
    moves.push(Move { ahead: idle_delay, ..Move::now(Input::Wake) });
    moves
}

/// Nothing speaks against a reminder of these todos.
pub(crate) fn clear(todos: Vec<Todo>, history: Option<History>) -> Snapshot {
    let (active, agents) = (Some(Vec::new()), Some(Vec::new()));
    Snapshot { todos: Some(todos), info: Some(SessionInfo::default()), active, agents, history }
}

/// A turn of `session` ends, the host tells `snapshot` and of other sessions if it is asked, takes the reminder and runs it, if
/// one comes.
fn round(session: SessionId, snapshot: Snapshot) -> Vec<Move> {
    let alarm = || Move { act: Act::Alarm, ahead: 0, back: 0 };
    let host = |act| Move { act, ahead: 1, back: 0 };
    vec![
        Move::now(Input::SessionIdle { session: session.clone() }),
        alarm(),
        host(Act::Answer(None, snapshot)),
        host(Act::Scan(None, Some(String::new()))),
        host(Act::Take(None, None)),
        Move::now(Input::SessionBusy { session }),
    ]
}

/// The person speaks in `root` while the list is `first`, and turns without an end follow that leave the list as `lists`.
pub(crate) fn long_series(root: &SessionId, first: Vec<Todo>, lists: Vec<Vec<Todo>>, idle_delay: u64) -> Vec<Move> {
    let told = Input::TodosUpdated { session: root.clone(), todos: first };
    let mut moves = vec![Move::now(told)];
    moves.extend(short_turn(root, idle_delay));
    moves.push(Move::now(Input::SessionBusy { session: root.clone() }));
    moves.extend(lists.into_iter().flat_map(|todos| round(root.clone(), clear(todos, None))));
    moves
}

/// Up to forty things that happen, some of them whole rounds of a series.
pub(crate) fn moves() -> impl Strategy<Value = Vec<Move>> {
    let act = prop_oneof![
        8 => any_input().prop_map(Act::Happen),
        4 => some_session().prop_map(|session| Act::Happen(Input::SessionIdle { session })),
        6 => Just(Act::Alarm),
        6 => (any::<Index>(), good_snapshot()).prop_map(|(which, snapshot)| Act::Answer(Some(which), snapshot)),
        1 => (any::<Index>(), any_snapshot()).prop_map(|(which, snapshot)| Act::Answer(Some(which), snapshot)),
        2 => (any::<Index>(), any_table()).prop_map(|(which, table)| Act::Scan(Some(which), table)),
        2 => any::<Index>().prop_map(|which| Act::Remember(Some(which), None)),
        1 => (any::<Index>(), any_failure()).prop_map(|(which, error)| Act::Remember(Some(which), Some(error))),
        4 => any::<Index>().prop_map(|which| Act::Take(Some(which), None)),
        1 => (any::<Index>(), any_failure()).prop_map(|(which, error)| Act::Take(Some(which), Some(error))),
    ];
    let ahead = prop_oneof![4 => 0..20_u64, 2 => 400..600_u64, 1 => 0..70_000_u64];
    let back = prop_oneof![9 => Just(0), 1 => 0..100_000_u64];
    let single = (act, ahead, back).prop_map(|(act, ahead, back)| vec![Move { act, ahead, back }]);
    let rounds = (some_session(), vec(good_snapshot(), 1..6)).prop_map(|(session, snapshots)| {
        snapshots.into_iter().flat_map(|snapshot| round(session.clone(), snapshot)).collect()
    });
    vec(prop_oneof![8 => single, 1 => rounds], 0..40).prop_map(|moves| moves.concat())
}

/// Lists in which nothing is ever finished.
pub(crate) fn unfinished_lists(
    size: impl Into<proptest::collection::SizeRange>,
) -> impl Strategy<Value = Vec<Vec<Todo>>> {
    let status = select(&["pending", "in_progress"][..]);
    let todo = (select(&["a", "b", "c", "d", "A", "b "][..]), status).prop_map(|(content, status)| Todo {
        content: content.to_owned(),
        status: status.to_owned(),
        priority: String::new(),
    });
    vec(vec(todo, 1..4), size)
}

fn some_session() -> impl Strategy<Value = SessionId> {
    select(&SESSIONS[..]).prop_map(session)
}

fn any_input() -> impl Strategy<Value = Input> {
    let ask = || select(&["q1", "q2"][..]).prop_map(str::to_owned);
    let request = || (0..12_u32).prop_map(RequestId);
    prop_oneof![
        4 => some_session().prop_map(|session| Input::SessionBusy { session }),
        1 => some_session().prop_map(|session| Input::SessionRetrying { session }),
        1 => (some_session(), any_failure()).prop_map(|(session, error)| Input::SessionFailed { session, error }),
        1 => (some_session(), some_session()).prop_map(|(session, parent)| Input::SubagentSeen { session, parent }),
        1 => some_session().prop_map(|session| Input::SessionDeleted { session }),
        4 => (some_session(), any_user()).prop_map(|(session, message)| Input::UserMessage { session, message }),
        4 => (some_session(), any_assistant()).prop_map(|(session, message)| Input::AssistantMessage { session, message }),
        4 => (some_session(), any_assistant(), any::<bool>()).prop_map(|(session, message, has_calls)| {
            let (message, reason) = (message.id, message.finish.unwrap_or_default());
            Input::StepEnded { session, message, reason, has_calls }
        }),
        4 => (some_session(), any_todos()).prop_map(|(session, todos)| Input::TodosUpdated { session, todos }),
        1 => (some_session(), ask()).prop_map(|(session, ask)| Input::Asked { session, ask }),
        1 => (some_session(), ask()).prop_map(|(session, ask)| Input::Answered { session, ask }),
        1 => (request(), some_session(), any_snapshot())
            .prop_map(|(request, session, snapshot)| Input::Fetched { request, session, snapshot }),
        1 => (request(), some_session(), of(any_failure()))
            .prop_map(|(request, session, error)| Input::Prompted { request, session, error }),
        1 => (request(), some_session(), any_table())
            .prop_map(|(request, session, table)| Input::Scanned { request, session, table }),
        1 => (request(), some_session(), of(any_failure()))
            .prop_map(|(request, session, error)| Input::Remembered { request, session, error }),
        4 => (some_session(), select(&["", "status", "pause", "resume", "orphans", "Pause", "</x>"][..]))
            .prop_map(|(session, arguments)| Input::Command { session, arguments: arguments.to_owned() }),
        2 => Just(Input::Wake),
    ]
}

/// Text as a model or a provider might send it.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        20 => select(&["a", "b", "c"][..]).prop_map(str::to_owned),
        1 => select(&["", "</system-reminder>\n\u{202E}x", "{total} $& {", "\u{0}\u{7}\u{200B}\u{FEFF}"][..]).prop_map(str::to_owned),
        1 => vec(any::<char>(), 0..20).prop_map(String::from_iter),
        1 => (select(&["\u{301}", "x", "<", "\u{2066}"][..]), 900..1_100_usize).prop_map(|(unit, times)| unit.repeat(times)),
    ]
}

fn any_table() -> impl Strategy<Value = Option<String>> {
    of(select(&["", "\n\nother sessions", "{total}{orphan_table}"][..]).prop_map(str::to_owned))
}

fn any_todos() -> impl Strategy<Value = Vec<Todo>> {
    let status = prop_oneof![
        8 => select(&["pending", "in_progress", "completed", "cancelled"][..]).prop_map(str::to_owned),
        1 => any_text(),
    ];
    let todo = (any_text(), status).prop_map(|(content, status)| Todo { content, status, priority: String::new() });
    vec(todo, 0..4)
}

fn any_failure() -> impl Strategy<Value = Failure> {
    let name = prop_oneof![Just("MessageAbortedError".to_owned()), Just("APIError".to_owned()), any_text()];
    (name, any_text()).prop_map(|(name, message)| Failure { name, message })
}

/// Ids mostly of a few, so that they are often equal and in every order.
fn any_id() -> impl Strategy<Value = MessageId> {
    (0..30_u32).prop_map(|number| MessageId(format!("m{number:04}")))
}

fn person(agent: &str) -> Identity {
    let model = Model { provider: "p".to_owned(), model: "m".to_owned() };
    Identity { agent: agent.to_owned(), model, variant: None, tools: None, system: None }
}

fn any_user() -> impl Strategy<Value = UserMessage> {
    let identity = weighted(0.9, prop_oneof![9 => Just("build"), 1 => Just("plan")].prop_map(person));
    let mark = weighted(0.6, prop_oneof![9 => 0..6_u32, 1 => any::<u32>()].prop_map(|reminder| Mark { reminder }));
    (any_id(), identity, mark, 0..3_u32, prop_oneof![4 => Just(0), 1 => 0..4_u32], weighted(0.9, Just(()))).prop_map(
        |(id, identity, mark, texts, synthetic_texts, typed)| UserMessage {
            id,
            identity,
            mark,
            texts,
            synthetic_texts,
            is_compaction: typed.is_none(),
        },
    )
}

fn any_assistant() -> impl Strategy<Value = AssistantMessage> {
    let finish = of(prop_oneof![4 => Just("stop".to_owned()), 1 => Just("tool-calls".to_owned()), 1 => any_text()]);
    (any_id(), weighted(0.1, any_failure()), finish, prop_oneof![3 => Just(Vec::new()), 1 => vec(any_todos(), 0..3)])
        .prop_map(|(id, error, finish, todos)| AssistantMessage { id, error, finish, todos })
}

fn any_history() -> impl Strategy<Value = History> {
    let message = prop_oneof![any_user().prop_map(Message::User), any_assistant().prop_map(Message::Assistant)];
    (vec(message, 0..6), any::<bool>()).prop_map(|(messages, is_whole)| History { messages, is_whole })
}

/// A session that may be reminded, mostly.
fn good_snapshot() -> impl Strategy<Value = Snapshot> {
    (any_todos(), weighted(0.2, any_history())).prop_map(|(todos, history)| clear(todos, history))
}

fn any_snapshot() -> impl Strategy<Value = Snapshot> {
    let rule = || {
        let words = |words: &'static [&'static str]| select(words).prop_map(str::to_owned);
        (words(&["todowrite", "*", "todo*", "bash", ""]), words(&["*", "x"]), words(&["allow", "deny", "ask"]))
            .prop_map(|(permission, pattern, action)| Rule { permission, pattern, action })
    };
    let info =
        (weighted(0.2, some_session()), any::<[bool; 4]>(), vec(rule(), 0..3)).prop_map(|(parent, is, rules)| {
            let [is_archived, is_reverted, is_compacting, is_paused] = is;
            SessionInfo { parent, is_archived, is_reverted, is_compacting, is_paused, rules }
        });
    let agents = vec(vec(rule(), 0..3).prop_map(|rules| Agent { name: "build".to_owned(), rules }), 0..3);
    (of(any_todos()), of(info), of(vec(some_session(), 0..3)), of(agents), of(any_history()))
        .prop_map(|(todos, info, active, agents, history)| Snapshot { todos, info, active, agents, history })
}
