//! What holds whatever happens: arbitrary inputs in arbitrary order, answers that nobody asked for, a clock that jumps.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::wildcard_enum_match_arm, reason = "a property looks at a few kinds of input and lets the others pass")]

#[path = "properties/moves.rs"]
mod moves;
#[path = "properties/world.rs"]
mod world;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use todo_keeper::effect::Effect;
use todo_keeper::id::{MessageId, SessionId};
use todo_keeper::input::Input;
use todo_keeper::plugin::Plugin;
use todo_keeper::time::Millis;
use todo_keeper::todo::Todo;

use moves::{Move, SESSIONS, clear, is_answer, long_series, moves, session, short_turn, unfinished_lists};
use world::{Bounds, World, prompts, taken_back};

/// The same cases each time: a test that fails now and then is a test that is ignored.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(20_260), ..ProptestConfig::default() }
}

fn bounds() -> impl Strategy<Value = Bounds> {
    (1..4_u32, 1..6_u32, prop_oneof![Just(0), Just(500)], any::<bool>(), any::<bool>()).prop_map(
        |(without_progress, per_message, idle_delay, scans, in_turn)| Bounds {
            without_progress,
            per_message,
            idle_delay,
            scans,
            in_turn,
        },
    )
}

proptest! {
    #![proptest_config(config(1_000))]

    /// R6: neither bound is ever exceeded, and no list that stays as it is gets more than `maxAutoSubmitsPerTodo` reminders.
    #[test]
    fn reminders_are_bounded(bounds in bounds(), moves in moves()) {
        let mut sent: BTreeMap<SessionId, u32> = BTreeMap::new();
        let mut unchanged: BTreeMap<SessionId, (Option<Vec<Todo>>, u32)> = BTreeMap::new();
        World::new(bounds).play(&moves, |moment| {
            if let Some(session) = moment.person_spoke_or_session_ended() {
                sent.remove(session);
                unchanged.remove(session);
            }
            if let Some((session, todos)) = moment.list() {
                let (known, count) = unchanged.entry(session.clone()).or_default();
                if known.as_ref() != Some(todos) {
                    (*known, *count) = (Some(todos.clone()), 0);
                }
            }
            // What is taken back was never said.
            for session in taken_back(moment.step) {
                sent.entry(session.clone()).and_modify(|series| *series -= 1);
                unchanged.entry(session.clone()).and_modify(|(_, count)| *count = count.saturating_sub(1));
            }
            for prompt in prompts(moment.step) {
                let series = sent.entry(prompt.session.clone()).or_default();
                *series += 1;
                prop_assert!(*series <= bounds.per_message, "{series} reminders since the person spoke");
                let (_, count) = unchanged.entry(prompt.session.clone()).or_default();
                *count += 1;
                prop_assert!(*count <= bounds.without_progress, "{count} reminders of the same list");
            }
            Ok(())
        })?;
    }

    /// R1: a reminder answers a question that was open, and the next one comes only after the session was seen to move on
    /// and to go idle again.
    #[test]
    fn one_reminder_at_a_time(bounds in bounds(), moves in moves()) {
        let mut moved_on: BTreeMap<SessionId, (bool, bool)> = BTreeMap::new();
        World::new(bounds).play(&moves, |moment| {
            match moment.input {
                Input::SessionDeleted { session } => {
                    moved_on.remove(session);
                }
                // The end of a pause is as good as an idle.
                Input::Remembered { session, .. } if moment.is_expected => {
                    moved_on.insert(session.clone(), (true, true));
                }
                Input::SessionIdle { session } => {
                    let (moved, idle) = moved_on.entry(session.clone()).or_insert((true, false));
                    *idle |= *moved;
                }
                Input::SessionBusy { session }
                | Input::SessionRetrying { session }
                | Input::UserMessage { session, .. }
                | Input::Prompted { session, .. } => {
                    moved_on.entry(session.clone()).or_insert((true, false)).0 = true;
                }
                _ => {}
            }
            let (stored, sent): (Vec<_>, Vec<_>) = prompts(moment.step).into_iter().partition(|prompt| prompt.is_in_turn);
            let is_step_end = matches!(moment.input, Input::StepEnded { .. });
            prop_assert!(stored.is_empty() || is_step_end);
            for prompt in stored {
                moved_on.entry(prompt.session.clone()).or_insert((true, false)).0 = true;
            }
            let is_answer =
                matches!(moment.input, Input::Fetched { .. } | Input::Scanned { .. }) && moment.is_expected;
            // A scan that is not answered ends by the alarm, perhaps in several sessions at once.
            let is_late = bounds.scans && matches!(moment.input, Input::Wake);
            prop_assert!(sent.is_empty() || is_answer || is_late);
            prop_assert!(sent.len() <= 1 || is_late);
            for prompt in sent {
                let before = moved_on.insert(prompt.session.clone(), (false, false));
                prop_assert_eq!(before, Some((true, true)));
            }
            Ok(())
        })?;
    }

    /// R4: nothing is sent after the session, or the answer to the last message, failed, until the person speaks.
    #[test]
    fn an_error_silences(bounds in bounds(), moves in moves()) {
        let mut spoken: BTreeMap<SessionId, MessageId> = BTreeMap::new();
        let mut failed: BTreeSet<SessionId> = BTreeSet::new();
        World::new(bounds).play(&moves, |moment| {
            if let Some(session) = moment.person_spoke_or_session_ended() {
                spoken.remove(session);
                failed.remove(session);
            }
            match moment.input {
                Input::UserMessage { session, message } if message.is_real() && message.identity.is_some() => {
                    spoken.insert(session.clone(), message.id.clone());
                }
                Input::SessionFailed { session, .. } => {
                    failed.insert(session.clone());
                }
                Input::AssistantMessage { session, message }
                    if message.error.is_some() && spoken.get(session).is_some_and(|spoken| *spoken <= message.id) =>
                {
                    failed.insert(session.clone());
                }
                _ => {}
            }
            for prompt in prompts(moment.step) {
                prop_assert!(!failed.contains(prompt.session), "a reminder after an error");
            }
            Ok(())
        })?;
    }

    /// R5: a subagent's session gets nothing from the moment on that it is known for one.
    #[test]
    fn subagents_are_left_alone(bounds in bounds(), moves in moves()) {
        let mut subagents: BTreeSet<SessionId> = BTreeSet::new();
        World::new(bounds).play(&moves, |moment| {
            match moment.input {
                Input::SubagentSeen { session, .. } => {
                    subagents.insert(session.clone());
                }
                Input::SessionDeleted { session } => {
                    subagents.remove(session);
                }
                _ => {}
            }
            for effect in &moment.step.effects {
                let session = match effect {
                    Effect::Fetch { session, .. }
                    | Effect::Scan { session, .. }
                    | Effect::Remember { session, .. }
                    | Effect::Answer { session, .. }
                    | Effect::Prompt { session, .. }
                    | Effect::Unsend { session, .. } => Some(session),
                    // The guard watches their lists too, and says in the log what it saw.
                    Effect::Log { .. } | Effect::Toast { .. } => None,
                };
                prop_assert!(!session.is_some_and(|session| subagents.contains(session)), "{effect:?}");
            }
            Ok(())
        })?;
    }

    /// A wake that is early, late by another's alarm or superfluous changes nothing, and after a due one the next alarm is
    /// in the future: the shim can never spin.
    #[test]
    fn wakes_are_harmless(bounds in bounds(), moves in moves()) {
        World::new(bounds).play(&moves, |moment| {
            let is_due = moment.alarm_before.is_some_and(|at| at.0 <= moment.now);
            if matches!(moment.input, Input::Wake) {
                if !is_due {
                    prop_assert!(moment.step.effects.is_empty());
                    prop_assert_eq!(moment.step.wake_at, moment.alarm_before);
                }
                prop_assert!(moment.step.wake_at.is_none_or(|at| at.0 > moment.now));
            }
            if !is_due && bounds.idle_delay > 0 && !bounds.in_turn {
                prop_assert!(moment.step.wake_at.is_none_or(|at| at.0 > moment.now));
            }
            Ok(())
        })?;
    }

    /// R16: from the person's `pause` on nothing is sent until `resume`, or until the host could not store the pause.
    #[test]
    fn a_pause_holds(bounds in bounds(), moves in moves()) {
        let mut paused: BTreeSet<SessionId> = BTreeSet::new();
        World::new(bounds).play(&moves, |moment| {
            match moment.input {
                Input::Command { session, arguments } if arguments == "pause" => {
                    paused.insert(session.clone());
                }
                Input::Command { session, arguments } if arguments == "resume" => {
                    paused.remove(session);
                }
                Input::Remembered { session, error: Some(_), .. } | Input::SessionDeleted { session } => {
                    paused.remove(session);
                }
                // Made up, so that it may say that nothing is paused.
                Input::Fetched { session, .. } if moment.is_made_up => {
                    paused.remove(session);
                }
                _ => {}
            }
            for prompt in prompts(moment.step) {
                prop_assert!(!paused.contains(prompt.session), "a reminder in a pause");
            }
            Ok(())
        })?;
    }

    /// An answer that nobody waits for does nothing.
    #[test]
    fn strangers_answers_are_ignored(bounds in bounds(), moves in moves()) {
        World::new(bounds).play(&moves, |moment| {
            if is_answer(moment.input) && !moment.is_expected {
                prop_assert!(moment.step.effects.is_empty(), "{:?}", moment.step.effects);
            }
            Ok(())
        })?;
    }

    /// R15: what a person reads is lines without control, bidirectional and zero-width characters and without tags.
    #[test]
    fn what_is_written_is_safe(bounds in bounds(), moves in moves()) {
        World::new(bounds).play(&moves, |moment| {
            for effect in &moment.step.effects {
                match effect {
                    // The core's own arrow between two states.
                    Effect::Log { message, .. } => {
                        prop_assert!(is_safe(&message.replacen(" -> ", " ", 1)), "{message:?}");
                    }
                    Effect::Toast { title, message, .. } => {
                        prop_assert!(is_safe(title) && message.lines().all(is_safe), "{message:?}");
                    }
                    // The formats are the defaults, which have no tags of their own.
                    Effect::Prompt { text, .. } | Effect::Answer { text, .. } => {
                        prop_assert!(text.lines().all(is_safe), "{text:?}");
                    }
                    Effect::Fetch { .. }
                    | Effect::Scan { .. }
                    | Effect::Remember { .. }
                    | Effect::Unsend { .. } => {}
                }
            }
            Ok(())
        })?;
    }
}

proptest! {
    #![proptest_config(config(500))]

    /// Equal inputs give equal steps.
    #[test]
    fn equal_inputs_give_equal_steps(bounds in bounds(), moves in moves()) {
        let steps = || {
            let mut steps = Vec::new();
            World::new(bounds).play(&moves, |moment| {
                steps.push(moment.step.clone());
                Ok(())
            })?;
            Ok::<_, TestCaseError>(steps)
        };
        prop_assert_eq!(steps()?, steps()?);
    }

    /// A deleted session leaves nothing, and no late answer brings it back.
    #[test]
    fn deleted_sessions_leave_nothing(bounds in bounds(), moves in moves(), late in moves()) {
        let mut world = World::new(bounds);
        world.play(&moves, |_| Ok(()))?;
        let deleted = SESSIONS.map(|id| Move::now(Input::SessionDeleted { session: session(id) }));
        world.play(&deleted, |_| Ok(()))?;
        prop_assert_eq!(world.remembered(), 0);
        let late: Vec<Move> = late.into_iter().filter(Move::is_answer_or_wake).collect();
        world.play(&late, |moment| {
            prop_assert_eq!(moment.step.effects.len(), 0);
            prop_assert_eq!(moment.step.wake_at, None);
            Ok(())
        })?;
        prop_assert_eq!(world.remembered(), 0);
    }

    /// R6: without a todo finished a series ends, however the list is toggled, reworded and reordered: each todo that was there
    /// when the person spoke can be begun once, and that is all the progress there is.
    #[test]
    fn without_a_todo_finished_a_series_ends(
        bounds in bounds(),
        first in unfinished_lists(1),
        lists in unfinished_lists(20..40),
    ) {
        let (root, first) = (session("s"), first.concat());
        let begun_at_most = u32::try_from(first.len()).unwrap_or(u32::MAX);
        let bounds = Bounds { per_message: 1_000, ..bounds };
        let mut sent = 0;
        World::new(bounds).play(&long_series(&root, first, lists, bounds.idle_delay), |moment| {
            sent += u32::try_from(prompts(moment.step).len()).unwrap_or(u32::MAX);
            Ok(())
        })?;
        prop_assert!(sent >= bounds.without_progress, "{sent} reminders");
        prop_assert!(sent <= bounds.without_progress * (1 + begun_at_most), "{sent} reminders");
    }

    /// Whatever happened before, a message of the person makes a root session be reminded again, from 1: no error, no
    /// budget and no lost answer silences it for good.
    #[test]
    fn the_person_always_resumes(bounds in bounds(), moves in moves()) {
        let root = session("s");
        let is_allowed = |it: &Move| !it.makes_subagent_of(&root) && !it.is_command();
        let moves: Vec<Move> = moves.into_iter().filter(is_allowed).collect();
        let mut world = World::new(bounds);
        world.play(&moves, |_| Ok(()))?;
        world.play(&short_turn(&root, bounds.idle_delay), |_| Ok(()))?;
        let request = world.open_fetch(&root);
        prop_assert!(request.is_some(), "nobody asked for the todos");
        let todo = Todo { content: "a".to_owned(), status: "pending".to_owned(), priority: String::new() };
        let snapshot = clear(vec![todo], None);
        let answer = request.map(|request| Input::Fetched { request, session: root.clone(), snapshot });
        let mut numbers = Vec::new();
        let mut play = |world: &mut World, input: Option<Input>| {
            world.play(&input.map(Move::now).into_iter().collect::<Vec<_>>(), |moment| {
                numbers.extend(prompts(moment.step).iter().map(|prompt| (prompt.session.clone(), prompt.number)));
                Ok(())
            })
        };
        play(&mut world, answer)?;
        let scan = world.open_scan(&root).filter(|scan| Some(*scan) > request);
        play(&mut world, scan.map(|request| Input::Scanned { request, session: root.clone(), table: None }))?;
        prop_assert_eq!(numbers, [(root, 1)]);
    }
}

/// A second opinion on what R15 asks for; the core has its own.
fn is_safe(line: &str) -> bool {
    let is_bad = |c: char| {
        c.is_control()
            || matches!(c, '<' | '>' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
    };
    !line.contains(is_bad)
}

/// R16: the log tells each change of a session once, not each event.
#[test]
fn a_state_that_stays_is_not_logged_again() {
    let (mut core, _) = Plugin::new(&[]);
    let mut lines = |input: Input| {
        let is_log = |effect: &&Effect| matches!(effect, Effect::Log { .. });
        core.handle(input, Millis(0)).effects.iter().filter(is_log).count()
    };
    let retrying = || Input::SessionRetrying { session: session("s") };
    let busy = || Input::SessionBusy { session: session("s") };
    assert_eq!([lines(retrying()), lines(retrying()), lines(busy()), lines(busy())], [1, 0, 1, 0]);
}
