//! One function for each entry of the core. Each takes any text, reads from it what it can, and stops the process when the
//! core panics or does what it must not. `README.md` says how they are run, and what the texts look like.

use todo_keeper::effect::Effect;
use todo_keeper::guard::{Sent, kept_line, left_out, lost_line};
use todo_keeper::id::{MessageId, SessionId};
use todo_keeper::input::{Input, SessionInfo, Snapshot};
use todo_keeper::nudge::{Advice, Seen};
use todo_keeper::options::{Options, Source};
use todo_keeper::orphans::{self, Other};
use todo_keeper::plugin::Plugin;
use todo_keeper::text::one_line;
use todo_keeper::time::Millis;
use todo_keeper::todo::Todo;

/// The only place that knows how an input is read from JSON.
fn input(json: &str) -> Option<Input> {
    Input::from_json(json).ok()
}

/// Options in the first line, then an input in each: the milliseconds since the one before, a space, JSON.
pub fn inputs(text: &str) {
    let mut lines = text.lines();
    let source = source(lines.next().unwrap_or_default());
    let (mut core, first) = Plugin::new(std::slice::from_ref(&source));
    let (mut twin, twins_first) = Plugin::new(&[source]);
    assert_eq!(first, twins_first);
    check_effects(&first.effects);
    let mut now = 0_u64;
    for line in lines {
        let (wait, json) = line.split_once(' ').unwrap_or(("0", line));
        now = now.saturating_add(wait.parse().unwrap_or(0));
        let Some(mut input) = input(json) else { continue };
        if let Input::Scanned { session, table: Some(table), .. } = &mut input {
            *table = scanned(session, table, Millis(now));
        }
        let deleted = if let Input::SessionDeleted { session } = &input { Some(session.clone()) } else { None };
        let is_wake = matches!(input, Input::Wake);
        let step = core.handle(input.clone(), Millis(now));
        assert_eq!(step, twin.handle(input, Millis(now)), "equal inputs give equal steps");
        check_effects(&step.effects);
        // Else the shim would wake it again and again.
        let is_later = step.wake_at.is_none_or(|at| at > Millis(now)) || now == u64::MAX;
        assert!(!is_wake || is_later, "what was due is due again");
        let speaks = |effect: &Effect| matches!(effect, Effect::Prompt { session, .. } | Effect::Answer { session, .. } if Some(session) == deleted.as_ref());
        assert!(!step.effects.iter().any(speaks), "nothing is said to a session that is gone");
    }
}

/// What the shim hands back of a scan: never a text of the host's, but what the core made of the sessions found. Here each
/// line of `table` is a session's title, and its one todo.
fn scanned(session: &SessionId, table: &str, now: Millis) -> String {
    let other = |line: &str| Other {
        session: session.clone(),
        title: line.to_owned(),
        is_left_out: false,
        todos: vec![todo(line)],
        ..Other::default()
    };
    let found: Vec<Other> = table.split('\n').map(other).collect();
    let said = |is_report| orphans::text(&Options::default(), Some(&found), false, now, is_report);
    said(true).into_iter().for_each(|report| report.lines().for_each(assert_is_one_line));
    said(false).unwrap_or_default()
}

/// A source of options each, apart by lines of `---`.
pub fn options(text: &str) {
    let sources: Vec<Source> = text.split("\n---\n").map(source).collect();
    let (options, diagnostics) = Options::resolve(&sources);
    for diagnostic in &diagnostics {
        assert_is_one_line(&diagnostic.to_string());
    }
    assert!(options.max_auto_submits_per_todo <= 1000 && options.max_reminders_per_message <= 1000);
    assert!(options.idle_delay_ms <= 3_600_000 && options.orphan_scan_limit <= 1000);
    assert!(
        (1..=1000).contains(&options.nudge.after_requests) && (1..=1000).contains(&options.nudge.cooldown_requests)
    );
    assert!(!options.is_unfinished("completed") && !options.is_unfinished("cancelled"));
    // A source that is wrong as a whole changes nothing.
    let nothing = Source { file: "broken".to_owned(), text: Some("{".to_owned()), error: None };
    let more: Vec<Source> = sources.into_iter().chain([nothing]).collect();
    let (same, with_one_more) = Options::resolve(&more);
    assert_eq!(same, options);
    assert_eq!(with_one_more.len(), diagnostics.len() + 1);
    // What the plugin says of them.
    let (mut core, first) = Plugin::new(&more);
    check_effects(&first.effects);
    if let Some(person) = input(PERSON) {
        check_effects(&core.handle(person, Millis(1)).effects);
    }
}

/// The present list, an empty line, the list that the model sent: `content<TAB>status` in each line.
pub fn guard(text: &str) {
    let (present, sent) = text.split_once("\n\n").unwrap_or((text, ""));
    let present: Vec<Todo> = present.lines().filter(|line| !line.is_empty()).map(todo).collect();
    let sent: Vec<(Option<&str>, Option<&str>)> = sent
        .lines()
        .map(|line| line.split_once('\t').map_or((Some(line), None), |(content, status)| (Some(content), Some(status))))
        .map(|(content, status)| (content.filter(|content| *content != "?"), status))
        .collect();
    let sent: Vec<Sent<'_>> = sent.into_iter().map(|(content, status)| Sent { content, status }).collect();
    let options = Options::default();
    let is_unfinished = |status: &str| options.is_unfinished(status);

    let kept = left_out(&present, &sent, is_unfinished);
    let unfinished = present.iter().filter(|todo| is_unfinished(&todo.status)).count();
    assert!(kept.len() + sent.len() >= unfinished, "an unfinished todo was lost");
    assert!(kept.iter().all(|todo| is_unfinished(&todo.status)));
    let mut at = 0;
    for todo in &kept {
        let rest = present.get(at..).unwrap_or_default();
        let found = rest.iter().position(|other| std::ptr::eq(other, *todo));
        at += found.expect("what is kept stands in the present list, in its order") + 1;
    }
    // What was put back is a counterpart of itself.
    let whole: Vec<Sent<'_>> = sent.iter().copied().chain(kept.iter().map(|todo| counterpart(todo))).collect();
    assert!(left_out(&present, &whole, is_unfinished).is_empty(), "what was put back is left out again");
    let same: Vec<Sent<'_>> = present.iter().map(counterpart).collect();
    assert!(left_out(&present, &same, is_unfinished).is_empty(), "the same list leaves something out");

    let names: Vec<String> = kept.iter().map(|todo| one_line(&todo.content)).collect();
    for line in [kept_line(&names), lost_line(&names)] {
        assert_eq!(line.is_some(), !names.is_empty());
        if let Some(line) = line {
            assert_is_one_line(&line);
        }
    }
    let (mut core, _) = Plugin::new(&[]);
    let guarded = core.on_todowrite(&session(), "call", Some(&present), &sent);
    assert_eq!(guarded.kept.iter().collect::<Vec<_>>(), kept);
    if let Some(line) = core.on_todowrite_done(&session(), "call") {
        assert_is_one_line(&line);
    }
}

/// Options in the first line; then what happens, a letter a line: `q` a quiet request, `t` one with a task tool, `o` another
/// message, `s` a summary, `c` a compaction, `u` an undo, `r` a restart, and any other line a todo, `content<TAB>status`.
pub fn nudge(text: &str) {
    let mut lines = text.lines();
    let source = source(lines.next().unwrap_or_default());
    let (mut core, _) = Plugin::new(std::slice::from_ref(&source));
    let (mut history, mut todos, mut count) = (Vec::<Seen>::new(), Vec::<Todo>::new(), 0_u32);
    for line in lines.take(400) {
        count += 1;
        let request = |called_task_tool| Seen::Request { id: MessageId(format!("m{count:08}")), called_task_tool };
        match line {
            "q" => history.push(request(false)),
            "t" => history.push(request(true)),
            "o" => history.push(Seen::Other),
            "s" => history.push(Seen::Summary),
            "c" => {
                let advice = core.on_compacting(&session());
                check_advice(&advice, &todos);
                if answer_fetches(&mut core, &advice, &todos) {
                    check_advice(&core.on_compacting(&session()), &todos);
                }
            }
            "u" => drop(history.pop()),
            "r" => core = Plugin::new(std::slice::from_ref(&source)).0,
            _ => {
                todos.push(todo(line));
                let list = Input::TodosUpdated { session: session(), todos: todos.clone() };
                check_effects(&core.handle(list, Millis(0)).effects);
            }
        }
        let advice = core.on_request(&session(), history.iter().rev().cloned());
        check_advice(&advice, &todos);
        if answer_fetches(&mut core, &advice, &todos) && advice.is_open {
            check_advice(&core.on_request(&session(), history.iter().rev().cloned()), &todos);
        }
    }
}

fn answer_fetches(core: &mut Plugin, advice: &Advice, todos: &[Todo]) -> bool {
    let mut asked = false;
    for effect in &advice.effects {
        if let Effect::Fetch { request, session, .. } = effect {
            let snapshot =
                Snapshot { todos: Some(todos.to_vec()), info: Some(SessionInfo::default()), ..Snapshot::default() };
            let answer = Input::Fetched { request: *request, session: session.clone(), snapshot };
            check_effects(&core.handle(answer, Millis(0)).effects);
            asked = true;
        }
    }
    asked
}

fn check_advice(advice: &Advice, todos: &[Todo]) {
    check_effects(&advice.effects);
    assert!(advice.addition.is_none() || !todos.is_empty(), "nothing to nudge about");
}

/// R15 in what people read; the prompt's text is the options' own.
fn check_effects(effects: &[Effect]) {
    let prompts = effects.iter().filter(|effect| matches!(effect, Effect::Prompt { .. })).count();
    assert!(prompts <= 1, "one input, one prompt");
    for effect in effects {
        match effect {
            Effect::Log { message, .. } => assert_is_one_line(message),
            Effect::Toast { title, message, .. } => {
                assert_is_one_line(title);
                message.lines().for_each(assert_is_one_line);
            }
            Effect::Answer { text, .. } => text.lines().for_each(assert_is_one_line),
            Effect::Fetch { .. }
            | Effect::Prompt { .. }
            | Effect::Scan { .. }
            | Effect::Remember { .. }
            | Effect::Unsend { .. } => {}
        }
    }
}

fn assert_is_one_line(text: &str) {
    let is_bad = |c: char| {
        c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(is_bad), "not one safe line: {text:?}");
}

/// A real message of a person.
const PERSON: &str = r#"{"type":"userMessage","session":"s","message":{"id":"m1","identity":null,"mark":null,"texts":1,"syntheticTexts":0,"isCompaction":false}}"#;

fn source(text: &str) -> Source {
    Source { file: "opencode.json".to_owned(), text: Some(text.to_owned()), error: None }
}

fn session() -> SessionId {
    SessionId("s".to_owned())
}

fn todo(line: &str) -> Todo {
    let (content, status) = line.split_once('\t').unwrap_or((line, "pending"));
    Todo { content: content.to_owned(), status: status.to_owned(), priority: String::new() }
}

fn counterpart(todo: &Todo) -> Sent<'_> {
    Sent { content: Some(&todo.content), status: Some(&todo.status) }
}
