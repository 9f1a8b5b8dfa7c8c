//! The guard as a whole: examples, and properties over any lists.

#![cfg(not(target_family = "wasm"))]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, reason = "a test may stop")]

use proptest::prelude::*;
use std::collections::BTreeMap;
use todo_keeper::guard::assignment::heaviest;
use todo_keeper::guard::{Sent, fold, kept_line, left_out, lost_line, similarity};
use todo_keeper::todo::Todo;

fn is_unfinished(status: &str) -> bool {
    matches!(status, "pending" | "in_progress")
}

/// Each line is `content | status`.
fn todos(lines: &[&str]) -> Vec<Todo> {
    lines
        .iter()
        .map(|line| {
            let (content, status) = line.rsplit_once(" | ").expect("content | status");
            Todo { content: content.into(), status: status.into(), priority: "high".into() }
        })
        .collect()
}

fn sent(todos: &[Todo]) -> Vec<Sent<'_>> {
    todos.iter().map(|todo| Sent { content: Some(&todo.content), status: Some(&todo.status) }).collect()
}

fn restored(old: &[&str], new: &[&str]) -> Vec<String> {
    let (old, new) = (todos(old), todos(new));
    let left = left_out(&old, &sent(&new), is_unfinished);
    left.iter().map(|todo| format!("{} | {}", todo.content, todo.status)).collect()
}

#[test]
fn what_is_left_out_comes_back_in_the_old_order() {
    let old = ["C | pending", "A | in_progress", "D | completed", "B | pending", "E | cancelled"];
    assert_eq!(restored(&old, &["A | completed"]), ["C | pending", "B | pending"]);
    assert_eq!(restored(&old, &[]), ["C | pending", "A | in_progress", "B | pending"]);
    assert_eq!(restored(&[], &old), [""; 0]);
}

#[test]
fn white_space_and_case_do_not_matter() {
    assert_eq!(restored(&["Straße  prüfen | pending"], &[" STRASSE\tPRÜFEN | pending"]), [""; 0]);
    assert_eq!(restored(&["ΤΕΛΟΣ | pending"], &["τελος | pending"]), [""; 0]);
    assert_eq!(fold(" \u{1e9e} Iı\u{a0}\n"), "ss iı");
}

/// How many come back of groups of todos that the sent list all words anew. Those of a group may all be the same task, by the key
/// of their readings.
fn left_out_of_reworded(groups: usize, size: usize, text: impl Fn(usize) -> String) -> usize {
    const OBJECTS: [&str; 6] = ["login", "parser", "network", "database", "keyboard", "graph"];
    let list = |article: &str| -> Vec<String> {
        let line =
            |object: &&str, at| format!("{} | pending", text(at).replace("OBJECT", &format!("{article}{object}")));
        OBJECTS[..groups].iter().flat_map(|object| (0..size).map(move |at| line(object, at))).collect()
    };
    let (old, new) = (list(""), list("the "));
    let [old, new] = [&old, &new].map(|list| list.iter().map(String::as_str).collect::<Vec<_>>());
    restored(&old, &new).len()
}

#[test]
fn reworded_todos_are_compared_up_to_a_number_and_beyond_it_come_back() {
    // Every first word is a reading of its own: `size` by `size` comparisons for a group, 16,384 in all.
    let text = |at: usize| -> String {
        let letters = [at / 26, at % 26].map(|letter| char::from(b'a' + u8::try_from(letter).unwrap()));
        format!("Qu{}{} OBJECT bug", letters[0], letters[1])
    };
    for (groups, size, left) in [(4, 64, 0), (5, 64, 64), (2, 128, 128), (1, 129, 129)] {
        assert_eq!(left_out_of_reworded(groups, size, text), left, "{groups} groups of {size}");
    }
}

#[test]
fn reworded_todos_are_paired_up_to_a_number_and_beyond_it_come_back() {
    // All of a group read the same: one comparison for it, but `size` by `size` pairs, 65,536 in all.
    let text = |at: usize| -> String {
        let marks: String = (0..8).map(|bit| if at >> bit & 1 == 0 { '.' } else { '!' }).collect();
        format!("Fix OBJECT bug{marks}")
    };
    for (groups, size, left) in [(4, 128, 0), (5, 128, 128), (1, 256, 0), (2, 256, 256)] {
        assert_eq!(left_out_of_reworded(groups, size, text), left, "{groups} groups of {size}");
    }
}

#[test]
fn likeness_weighs_more_than_status() {
    let old = ["Fix lint errors | completed", "Fix the lint error | in_progress", "Fixing lint error | pending"];
    assert_eq!(restored(&old, &["Fix lint error! | pending"]), ["Fixing lint error | pending"]);
    assert_eq!(restored(&old[..2], &["Fix lint errors! | in_progress"]), ["Fix the lint error | in_progress"]);
}

#[test]
fn what_is_finished_goes_to_what_is_finished() {
    assert_eq!(restored(&["A | pending", "A | cancelled"], &["A | completed"]), ["A | pending"]);
}

#[test]
fn a_text_of_great_length_is_counted_and_not_named() {
    let long = "x".repeat(12_001);
    let line = kept_line([&long]).unwrap();
    assert!(line.starts_with("Kept 1 unfinished todo that this list left out: 1 of great length."), "{line}");
    let line = kept_line(["A", &long]).unwrap();
    assert!(line.contains(": \"A\" and 1 more."), "{line}");
}

#[test]
fn twins_are_two_todos() {
    let twins = ["Run tests | pending", "Run tests | pending"];
    assert_eq!(restored(&twins, &["Run tests | pending"]), ["Run tests | pending"]);
    assert_eq!(restored(&twins, &["run tests. | pending"]), ["Run tests | pending"]);
    assert_eq!(restored(&twins, &twins), [""; 0]);
}

#[test]
fn among_twins_status_decides() {
    let old = ["A | completed", "A | pending"];
    assert_eq!(restored(&old, &["A | completed"]), ["A | pending"]);
    assert_eq!(restored(&old, &["A | pending"]), [""; 0]);
    assert_eq!(restored(&old, &["A | in_progress"]), [""; 0]);
    assert_eq!(restored(&old, &["A | cancelled"]), [""; 0], "this is how a model drops a todo");
    assert_eq!(restored(&old, &["A | completed", "A | completed"]), [""; 0]);
    assert_eq!(restored(&["A | cancelled", "A | pending"], &["A | completed"]), ["A | pending"]);
    assert_eq!(restored(&["A | cancelled", "A | pending"], &["A | cancelled"]), ["A | pending"]);
    let both = ["A | pending", "A | in_progress"];
    assert_eq!(restored(&both, &["A | in_progress"]), ["A | pending"]);
    assert_eq!(restored(&both, &["A | completed"]), ["A | in_progress"]);
    // The same among reworded ones.
    let old = ["Fix login bug | completed", "Fix the login bug | pending"];
    assert_eq!(restored(&old, &["Login bug fix | completed"]), ["Fix the login bug | pending"]);
    assert_eq!(restored(&old, &["Login bug fix | cancelled"]), [""; 0]);
}

#[test]
fn a_finished_todo_takes_its_own_counterpart_first() {
    let old = ["Add tests for the parser | pending", "Add parser tests | completed"];
    assert_eq!(restored(&old, &["Add parser tests | completed"]), ["Add tests for the parser | pending"]);
    assert_eq!(restored(&old, &["ADD PARSER TESTS | pending"]), ["Add tests for the parser | pending"]);
}

#[test]
fn the_best_overall_choice_is_not_first_come() {
    // The first fits both new ones, the second only the first of them.
    let old = ["Fix login bug | pending", "Fix login bug (#1) | pending"];
    assert_eq!(restored(&old, &["Fix the login bug (#1) | pending", "Fix the login bug (#2) | pending"]), [""; 0]);
    assert_eq!(restored(&old, &["Fix the login bug (#2) | pending", "Fix the login bug (#1) | pending"]), [""; 0]);
}

#[test]
fn malformed_items_are_nobodys_counterpart() {
    let old = todos(&["A | pending", "B | pending"]);
    let new =
        [Sent::default(), Sent { content: Some("B"), status: None }, Sent { content: None, status: Some("pending") }];
    let left = left_out(&old, &new, is_unfinished);
    assert_eq!(left, [&old[0]]);
}

#[test]
fn huge_lists_and_texts_end() {
    let huge = |prefix: &str| -> Vec<Todo> {
        (0..10_000)
            .map(|_| Todo { content: format!("{prefix} login bug"), status: "pending".into(), priority: String::new() })
            .collect()
    };
    let (old, new) = (huge("Fix"), huge("Fix the"));
    assert_eq!(
        left_out(&old, &sent(&new), is_unfinished).len(),
        10_000,
        "too many to compare: in doubt they come back"
    );
    let text = "word ".repeat(200_000);
    let (old, new) = (todos(&[&format!("{text}| pending")]), todos(&[&format!("{text}. | pending")]));
    assert_eq!(left_out(&old, &sent(&new), is_unfinished).len(), 1);
    let upper = todos(&[&format!("{}| pending", text.to_uppercase())]);
    assert_eq!(left_out(&old, &sent(&upper), is_unfinished).len(), 0);
}

#[test]
fn the_lines_are_bounded_and_say_what_to_do() {
    assert_eq!(kept_line([""; 0]), None);
    assert_eq!(lost_line([""; 0]), None);
    assert_eq!(
        kept_line(["A"]).unwrap(),
        "Kept 1 unfinished todo that this list left out: \"A\". To drop it, send it with status `cancelled`."
    );
    assert_eq!(
        lost_line(["A", "B"]).unwrap(),
        "This list dropped 2 unfinished todos, which could not be put back: \"A\", \"B\". Call todowrite once more with the \
         whole list and them in it; what will not be done, send with status `cancelled`."
    );
    let many = kept_line(vec!["A"; 25]).unwrap();
    assert!(many.contains("\"A\" and 5 more. To drop them"), "{many}");
    assert_eq!(many.matches("\"A\"").count(), 20);
    let long = "x".repeat(1_000_000);
    let line = kept_line(["A", &long, "B"]).unwrap();
    assert!(line.len() < 200 && line.contains("\"A\" and 2 more"), "{line}");
    assert!(lost_line([&long]).unwrap().len() < 300);
}

fn any_list() -> impl Strategy<Value = Vec<Todo>> {
    let text = prop_oneof![
        8 => prop::sample::select(vec![
            "Fix login bug", "Fix the login bug", "fix login bug", "Fix login bug (#1)", "Fix login bug (#2)", "1. Fix login bug",
            "2. Fix the login bug", "Login bug fix", "Fixing the login bug", "Fix login bugs", "Fix lgoin bug", "Add parser tests",
            "Add tests for the parser", "ADD PARSER TESTS", "Add parser test", "", " ", "修复错误", "修复 错误",
        ]).prop_map(String::from),
        1 => ".{0,20}",
    ];
    let status = prop_oneof![
        8 => prop::sample::select(vec!["pending", "in_progress", "completed", "cancelled", "blocked", ""]).prop_map(String::from),
        1 => ".{0,5}",
    ];
    prop::collection::vec((text, status), 0..12).prop_map(|items| {
        items.into_iter().map(|(content, status)| Todo { content, status, priority: "low".into() }).collect()
    })
}

fn is_same_task(a: &str, b: &str) -> bool {
    a == b || fold(a) == fold(b) || similarity(a, b).is_some()
}

/// Whether each todo of `old` can have its own counterpart in `new`: augmenting paths.
fn all_have_counterparts(old: &[&Todo], new: &[Todo]) -> bool {
    fn place(
        left: usize,
        old: &[&Todo],
        new: &[Todo],
        owner: &mut BTreeMap<usize, usize>,
        seen: &mut Vec<usize>,
    ) -> bool {
        for right in 0..new.len() {
            if seen.contains(&right) || !is_same_task(&old[left].content, &new[right].content) {
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
    (0..old.len()).all(|left| place(left, old, new, &mut owner, &mut Vec::new()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_unfinished_todo_is_lost(old in any_list(), new in any_list()) {
        let left = left_out(&old, &sent(&new), is_unfinished);
        prop_assert_eq!(&left, &left_out(&old, &sent(&new), is_unfinished), "equal inputs, equal outputs");

        // Only unfinished ones, in their old order, each once.
        let mut rest = old.iter();
        for todo in &left {
            prop_assert!(is_unfinished(&todo.status));
            prop_assert!(rest.any(|old| std::ptr::eq(old, *todo)));
        }

        // Each unfinished one has a counterpart of its own in what the host would store.
        let result: Vec<Todo> = new.iter().chain(left.iter().copied()).cloned().collect();
        prop_assert!(result.starts_with(&new));
        let unfinished: Vec<&Todo> = old.iter().filter(|todo| is_unfinished(&todo.status)).collect();
        prop_assert!(all_have_counterparts(&unfinished, &result));

        // A second call changes nothing.
        prop_assert_eq!(left_out(&old, &sent(&result), is_unfinished), Vec::<&Todo>::new());
        prop_assert_eq!(left_out(&result, &sent(&result), is_unfinished), Vec::<&Todo>::new());

        // Every unfinished one dropped by name stays dropped.
        let dropped: Vec<Todo> = old.iter().map(|todo| Todo { status: "cancelled".into(), ..todo.clone() }).collect();
        prop_assert_eq!(left_out(&old, &sent(&dropped), is_unfinished), Vec::<&Todo>::new());
    }

    #[test]
    fn any_items(old in any_list(), new in prop::collection::vec((prop::option::of(".{0,20}"), prop::option::of(".{0,9}")), 0..9)) {
        let new: Vec<Sent<'_>> = new.iter().map(|(content, status)| Sent { content: content.as_deref(), status: status.as_deref() }).collect();
        let usable = new.iter().filter(|item| item.content.is_some()).count();
        let unfinished = old.iter().filter(|todo| is_unfinished(&todo.status)).count();
        prop_assert!(left_out(&old, &new, is_unfinished).len() + usable >= unfinished, "one new item stands for one old todo at most");
    }

    #[test]
    fn the_assignment_is_the_best(width in 1..6_usize, cells in prop::collection::vec(-4..6_i64, 0..36)) {
        let weights = &cells[..cells.len() / width * width];
        let picks = heaviest(weights, width);
        for (index, &(row, column)) in picks.iter().enumerate() {
            prop_assert!(weights[row * width + column] > 0);
            prop_assert!(picks[..index].iter().all(|other| other.0 != row && other.1 != column));
        }
        let total: i64 = picks.iter().map(|&(row, column)| weights[row * width + column]).sum();
        prop_assert_eq!(total, best(&weights.chunks(width).collect::<Vec<_>>(), 0));
    }
}

/// The greatest weight by trying everything; the bits of `taken` are columns.
fn best(rows: &[&[i64]], taken: u32) -> i64 {
    let Some((row, rest)) = rows.split_first() else {
        return 0;
    };
    let free = row.iter().enumerate().filter(|(column, weight)| taken & (1 << column) == 0 && **weight > 0);
    let with = free.map(|(column, weight)| weight + best(rest, taken | (1 << column)));
    with.fold(best(rest, taken), i64::max)
}
