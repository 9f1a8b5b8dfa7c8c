//! How well the guard tells a reworded todo from another task, measured on labelled pairs.

#![cfg(not(target_family = "wasm"))]
#![allow(clippy::indexing_slicing, clippy::print_stdout, reason = "a test may stop and print")]

use proptest::prelude::*;
use todo_keeper::guard::{Sent, left_out, similarity};
use todo_keeper::todo::Todo;

/// The same task in other words; the measure was chosen with these in view.
const SAME: &[(&str, &str)] = &[
    ("Fix login bug", "Fix the login bug"),
    ("Write tests for the parser", "Write parser tests"),
    ("Add tests for parser", "Add parser tests"),
    ("Fix bug in login", "Fix the login bug"),
    ("Update README", "Update the README."),
    ("Login bug fix", "Fix login bug"),
    ("Docs update", "Update docs"),
    ("Parser: write tests", "Write tests for the parser"),
    ("Write tests (parser)", "Write parser tests"),
    ("Write tests - parser", "Write tests for parser"),
    ("Fix login bug", "Fix login bug (#123)"),
    ("Fix login bug", "#123 Fix login bug"),
    ("Fix login bug", "[AUTH-42] Fix login bug"),
    ("AUTH-42: Fix the login bug", "Fix login bug"),
    ("Fix login bug", "- [ ] Fix login bug"),
    ("- [ ] Fix login bug", "- [x] Fix login bug"),
    ("Fix login bug", "**Fix login bug**"),
    ("Refactor `parse_args` in main.rs", "Refactor parse_args in `main.rs`"),
    ("Run tests", "2. Run tests"),
    ("1) Run tests", "Run tests"),
    ("Implement authentication middleware", "Implement authetication middleware"),
    ("Add databse migration", "Add database migration"),
    ("Fix cahcing layer", "Fix the caching layer"),
    ("Handle occured errors", "Handle the occurred errors"),
    ("Update documentation for API", "Update API docs"),
    ("Update project dependencies", "Update the project deps"),
    ("Running all unit tests", "Run all unit tests"),
    ("Fix the login bug", "Fixing login bug"),
    ("Implement user profile page", "✅ Implement user profile page"),
    ("Implement user profile page", "Implement the user profile page 🚀"),
    ("Fix lint error", "Fix the lint errors"),
    ("Fix failing parser test", "Fix failing parser tests"),
    ("TODO: add retry logic", "Add retry logic"),
    ("Add validation to the signup form", "Add signup form validation"),
    ("Check user's permissions", "Check user permissions"),
    ("Move config from env to file", "Move the config from the env to a file"),
    ("Add error handling for API calls", "Add API calls error handling"),
    ("Please review the pull request", "Review pull request"),
    ("修复登录错误", "修复登录的错误。"),
    ("修复 parser 错误", "修复parser错误"),
    ("ログインのバグを修正", "ログインバグを修正"),
    ("Исправить ошибку входа", "Исправить ошибку входа (#12)"),
    ("Corriger le bug de connexion", "1. Corriger le bug de connexion !"),
    ("إصلاح خطأ تسجيل الدخول", "- إصلاح خطأ تسجيل الدخول."),
    ("로그인 버그 수정", "[ ] 로그인 버그 수정"),
    ("Add front-end routing tests", "Add frontend routing tests"),
    ("Fix the crash of the editor on startup", "Fix crash of editor on startup"),
    ("Add \"dark mode\" toggle", "Add dark mode toggle"),
    // Not seen: another verb, a word more, a synonym.
    ("Fix login bug", "Resolve the login issue"),
    ("Add unit tests for parser", "Write unit tests for the parser"),
    ("Write tests for the parser", "Write tests for the parser module"),
    ("Set up CI", "Set up the continuous integration pipeline"),
    ("Add dark mode", "Implement dark mode"),
    ("Fix front end build", "Fix frontend build"),
    ("Run tests and lint", "Run lint and tests"),
    ("Fixed the login bug", "Fix the login bug"),
    ("Seperate config loading", "Separate config loading"),
];

/// Different tasks that look alike; the measure was chosen with these in view.
const DIFFERENT: &[(&str, &str)] = &[
    ("Add tests for parser", "Add tests for lexer"),
    ("Step 1", "Step 2"),
    ("Update v1 docs", "Update v2 docs"),
    ("Implement part A", "Implement part B"),
    ("Implement part A", "Implement part"),
    ("Enable caching", "Disable caching"),
    ("Add user endpoint", "Remove user endpoint"),
    ("Run migration before deploy", "Run migration after deploy"),
    ("Fix read path", "Fix write path"),
    ("Encode payload", "Decode payload"),
    ("Start the worker", "Stop the worker"),
    ("Open connection", "Close connection"),
    ("Fix client tests", "Fix server tests"),
    ("Deploy to staging", "Deploy to production"),
    ("Move data from staging to production", "Move data from production to staging"),
    ("Convert JSON to YAML", "Convert YAML to JSON"),
    ("Write docs for tests", "Write tests for docs"),
    ("Cache user sessions", "Do not cache user sessions"),
    ("Run tests with coverage", "Run tests without coverage"),
    ("Fix src/lexer.rs", "Fix src/parser.rs"),
    ("Fix parse_args in cli", "Fix parse_arg in cli"),
    ("Rename getUser in API", "Rename getUsers in API"),
    ("Fix bug #123 in parser", "Fix bug #124 in parser"),
    ("Fix login bug (#123)", "Fix login bug (#124)"),
    ("[AUTH-42] Fix login bug", "[AUTH-43] Fix login bug"),
    ("1. Run tests", "3. Run tests"),
    ("Bump to 1.2.3", "Bump to 1.2.4"),
    ("Support HTTP proxies", "Support HTTPS proxies"),
    ("Fix the model layer", "Fix the modal layer"),
    ("Update the database schema", "Update the database scheme"),
    ("Add sync handler tests", "Add async handler tests"),
    ("Add GET /user endpoint", "Add GET /users endpoint"),
    ("Fix parser errors", "Fix parsed errors"),
    ("Add import validation", "Add export validation"),
    ("Show internal errors page", "Show external errors page"),
    ("Lock the account table", "Unlock the account table"),
    ("Add upload retries", "Add download retries"),
    ("Add tests", "Add tests for parser"),
    ("Fix login bug", "Fix login bug on mobile"),
    ("Fix the contact form", "Fix the contract form"),
    ("Test integration", "Integration tests"),
    ("Fix log in page", "Fix log page"),
    ("Turn on debug logging", "Turn off debug logging"),
    ("Deploy version 2", "Deploy version 3"),
    ("Increase timeout to 30s", "Increase timeout to 60s"),
    ("Return -1 on error", "Return 1 on error"),
    ("Return [] on error", "Return {} on error"),
    ("Support == in filters", "Support != in filters"),
    ("Fix <a> styles", "Fix styles"),
    ("Update .env file", "Update env file"),
    ("Add 👍 reaction", "Add 👎 reaction"),
    ("Hash with SHA-256", "Hash with SHA-512"),
    ("Add the encoder (UTF-8)", "Add the encoder"),
    ("Fix C bindings", "Fix C++ bindings"),
    ("Fix windows bug", "Fix window bug"),
    ("Verify retired users", "Verify retried users"),
    ("Update timestamp column", "Updated timestamp column"),
    ("Delete user", "Delete users"),
    ("修复登录错误", "修复注册错误"),
    ("添加测试", "删除测试"),
    ("Исправить ошибку входа", "Исправить ошибку выхода"),
    ("ログインのバグを修正", "ログアウトのバグを修正"),
    ("Write first draft", "Write second draft"),
    ("Review PR #12", "Review PR"),
    ("Rename foo to bar", "Rename bar to foo"),
    ("Merge client into server", "Merge server into client"),
    ("Fix sending limits", "Fix spending limits"),
    ("Add minimum length check", "Add maximum length check"),
    ("Backup primary database", "Backup replica database"),
    ("Fix flaky tests on Linux", "Fix flaky tests on macOS"),
    ("Parser for tests", "Parser tests"),
    ("API for docs", "API docs"),
    ("Check for updates", "Check updates"),
    ("Run in staging", "Run staging"),
    ("Cache for users", "Cache users"),
    ("Test runner for parser", "Test parser runner"),
    ("Updated timestamp of users", "Update timestamp of users"),
    ("Loading state of the list", "Load state of the list"),
];

struct Score {
    found: usize,
    wrong: usize,
}

/// What "Handle WORD errors" is to the same with another word; both ways round.
fn of_words(a: &str, b: &str) -> Option<u32> {
    let (left, right) = (format!("Handle {a} errors"), format!("Handle {b} errors"));
    assert_eq!(similarity(&left, &right), similarity(&right, &left), "{a}, {b}");
    similarity(&left, &right)
}

#[test]
fn a_slip_of_the_pen_is_seen_only_where_it_makes_no_other_word() {
    let slips = [
        ("cahing", "caihng"),
        ("manfest", "manifest"),
        ("agregate", "aggregate"),
        ("hamer", "hammer"),
        ("authetication", "authentication"),
    ];
    for (a, b) in slips {
        assert_eq!(of_words(a, b), Some(75), "{a}, {b}");
    }
    let others = [
        // Two letters of another kind, of which one is the same.
        ("haxyling", "hayzling"),
        // A letter in another's place and one more.
        ("hanbling", "hanodling"),
        // A vowel too near to the start, in too short a word, or doubled.
        ("claning", "cleaning"),
        ("elemnt", "element"),
        ("proceding", "proceeding"),
        // A first letter doubled.
        ("steps", "ssteps"),
        // Not a word.
        ("acquisitions", "acqu1isitions"),
        ("cache", "cacche1"),
    ];
    for (a, b) in others {
        assert_eq!(of_words(a, b), None, "{a}, {b}");
    }
}

#[test]
fn one_slip_is_one_task_in_a_text_of_three_words_or_more() {
    assert_eq!(similarity("Add databse migration", "Add database migration"), Some(75));
    assert_eq!(similarity("Update databse", "Update database"), None);
    assert_eq!(similarity("Handle occured databse errors", "Handle occurred database errors"), None);
}

#[test]
fn another_form_of_the_verb_weighs_less_than_a_slip() {
    assert_eq!(similarity("Fix the login bug", "Fixing login bug"), Some(90));
    assert_eq!(similarity("Fix lint error", "Fix the lint errors"), Some(85));
}

#[test]
fn the_guard_finds_in_a_list_what_is_alike_in_pairs() {
    let is_unfinished = |status: &str| status == "pending";
    for &(a, b) in SAME.iter().chain(DIFFERENT) {
        let old = Todo { content: a.into(), status: "pending".into(), priority: "high".into() };
        let sent = [Sent { content: Some(b), status: Some("pending") }];
        let is_lost = !left_out(&[old], &sent, is_unfinished).is_empty();
        assert_eq!(is_lost, similarity(a, b).is_none(), "{a}, {b}");
    }
}

fn score(same: &[(&str, &str)], different: &[(&str, &str)]) -> Score {
    let alike = |pairs: &[(&str, &str)], expected: bool| {
        let alike = pairs.iter().filter(|(a, b)| {
            let is_alike = similarity(a, b).is_some();
            assert_eq!(is_alike, similarity(b, a).is_some(), "both ways: {a:?} {b:?}");
            if is_alike != expected {
                println!("alike {is_alike}: {a:?} {b:?}");
            }
            is_alike
        });
        alike.count()
    };
    Score { found: alike(same, true), wrong: alike(different, false) }
}

/// Written after the measure was fixed, and not used to change it.
const HELD_OUT_SAME: &[(&str, &str)] = &[
    ("Create migration for the orders table", "Create orders table migration"),
    ("Add pagination to search results", "Add pagination to the search results"),
    ("Extract helper for date formatting", "Extract date formatting helper"),
    ("Investigate memory leak in worker", "Investigate the worker memory leak"),
    ("Set up linting", "Setup linting"),
    ("Write integration tests for checkout", "Write checkout integration tests"),
    ("Remove unused imports", "Remove unused imports (cleanup)"),
    ("Implement rate limiter", "Implement a rate limiter for the API"),
    ("Clean up the temp files", "Clean up temporary files"),
    ("Verify build passes", "Verify that the build passes"),
    ("3. Document the new endpoints", "Document the new endpoints"),
    ("Refactor session store", "refactor: session store"),
    ("Fix type errors in `utils.ts`", "Fix utils.ts type errors"),
    ("Implement noification service", "Implement notification service"),
    ("Upgrade React to 19", "Upgrade React to v19"),
    ("Add logging", "Add logging ✨"),
    ("Check responsive layout on mobile", "Check the mobile responsive layout"),
    ("Creating Docker image for backend", "Create Docker image for backend"),
    ("Añadir pruebas para el analizador", "Añadir pruebas para el analizador."),
    ("Run type check and fix errors", "Run typecheck and fix errors"),
];

/// Written after the measure was fixed, and not used to change it.
const HELD_OUT_DIFFERENT: &[(&str, &str)] = &[
    ("Create migration for the orders table", "Create migration for the order items table"),
    ("Add pagination to search results", "Add sorting to search results"),
    ("Extract helper for date formatting", "Extract helper for date parsing"),
    ("Investigate memory leak in worker", "Investigate memory leak in web server"),
    ("Encrypt backups at rest", "Decrypt backups at rest"),
    ("Subscribe to events", "Unsubscribe from events"),
    ("Write integration tests for checkout", "Write unit tests for checkout"),
    ("Copy assets from build to dist", "Copy assets from dist to build"),
    ("Phase 1: design the API", "Phase 2: design the API"),
    ("Verify build passes", "Verify tests pass"),
    ("Handle null values", "Handle non-null values"),
    ("Fix type errors in utils.ts", "Fix type errors in utils.js"),
    ("Upgrade React to 18", "Upgrade React to 19"),
    ("Show a warning when the disk is full", "Show a warning when the disk is not full"),
    ("Add left sidebar", "Add right sidebar"),
    ("Create Docker image for backend", "Create Docker image for frontend"),
    ("Push the branch", "Pull the branch"),
    ("Make the header sticky", "Make the footer sticky"),
    ("Allow guests to comment", "Allow guests to upload"),
    ("Añadir pruebas para el analizador", "Añadir pruebas para el compilador"),
];

/// 78 different pairs, none taken for the same: precision 1. 48 of 57 reworded pairs found: recall 0.84. The nine that are
/// missed need knowledge of the language (synonyms, a word more that adds nothing), or a rule that would also lose todos.
#[test]
fn on_the_labelled_pairs_precision_is_1_and_recall_0_84() {
    let score = score(SAME, DIFFERENT);
    assert_eq!((score.wrong, DIFFERENT.len()), (0, 78), "precision");
    assert_eq!((score.found, SAME.len()), (48, 57), "recall");
}

/// 20 different pairs, none taken for the same; 12 of 20 reworded pairs found: recall 0.60. They were not used to change the measure; pairs
/// that take a verb for a noun were told apart later, which changed nothing here.
#[test]
fn on_the_held_out_pairs_precision_is_1_and_recall_0_60() {
    let score = score(HELD_OUT_SAME, HELD_OUT_DIFFERENT);
    assert_eq!((score.wrong, HELD_OUT_DIFFERENT.len()), (0, 20), "precision");
    assert_eq!((score.found, HELD_OUT_SAME.len()), (12, 20), "recall");
}

/// Why the guard has a measure of its own: at a threshold that takes no different pair for the same, the usual ones find next
/// to nothing of what the guard finds.
#[test]
fn usual_measures_find_far_less_at_the_same_precision() {
    let sorted = |text: &str| {
        let mut words: Vec<String> = text
            .split(|char: char| !char.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        words.sort();
        words.join(" ")
    };
    let folded = todo_keeper::guard::fold;
    let measures: [(&str, Box<Measure>); 4] = [
        ("Jaro-Winkler", Box::new(move |a, b| strsim::jaro_winkler(&folded(a), &folded(b)))),
        ("Levenshtein", Box::new(move |a, b| strsim::normalized_levenshtein(&folded(a), &folded(b)))),
        ("Dice of letter pairs", Box::new(move |a, b| strsim::sorensen_dice(&folded(a), &folded(b)))),
        ("Levenshtein of sorted words", Box::new(move |a, b| strsim::normalized_levenshtein(&sorted(a), &sorted(b)))),
    ];
    for (name, measure) in measures {
        let highest_wrong = DIFFERENT.iter().map(|(a, b)| measure(a, b)).fold(0.0, f64::max);
        let found = SAME.iter().filter(|(a, b)| measure(a, b) > highest_wrong).count();
        println!("{name}: {found}");
        assert!(found <= 3, "{name} finds {found}");
    }
}

type Measure = dyn Fn(&str, &str) -> f64;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the sentence, another content word makes another task.
    #[test]
    fn another_word_is_another_task(words in prop::sample::subsequence(WORDS, 3..7).prop_shuffle(), at in 0..100_usize, other in 0..WORDS.len()) {
        let other = WORDS.iter().chain(WORDS).skip(other).find(|other| !words.contains(other)).copied().unwrap_or_default();
        let mut changed = words.clone();
        let at = at % words.len();
        changed[at] = other;
        prop_assert_eq!(similarity(&words.join(" "), &changed.join(" ")), None);
        prop_assert_eq!(similarity(&words.join(" "), &words.join("  ").to_uppercase()), Some(100));
    }

    /// Any text at all: no panic, the same both ways, from 1 to 100.
    #[test]
    fn any_text(a in ".{0,60}", b in "[ a-dA-D#1.:()\\[\\]*`'的修😀-]{0,30}", c in "[ a-dA-D#1.:()\\[\\]*`'的修😀-]{0,30}") {
        for (left, right) in [(&a, &b), (&b, &c), (&a, &a), (&b, &b)] {
            let alike = similarity(left, right);
            prop_assert_eq!(alike, similarity(right, left));
            prop_assert!(alike.is_none_or(|alike| (1..=100).contains(&alike)));
        }
    }
}

const WORDS: &[&str] = &[
    "add",
    "fix",
    "remove",
    "update",
    "enable",
    "disable",
    "encode",
    "decode",
    "read",
    "write",
    "import",
    "export",
    "client",
    "server",
    "parser",
    "lexer",
    "parsed",
    "before",
    "after",
    "not",
    "staging",
    "production",
    "internal",
    "external",
    "model",
    "modal",
    "test",
    "text",
    "upload",
    "download",
    "valid",
    "invalid",
    "batch",
    "patch",
    "match",
    "reader",
    "header",
    "loader",
    "sender",
    "render",
    "count",
    "mount",
    "public",
    "private",
    "left",
    "right",
    "first",
    "second",
    "v1",
    "v2",
    "1",
    "2",
    "foo_bar",
    "foo_baz",
    "main.rs",
    "lib.rs",
    "from",
    "to",
    "with",
    "without",
    "schema",
    "scheme",
    "contact",
    "contract",
    "conversion",
    "conversation",
    "attach",
    "detach",
    "lock",
    "unlock",
    "sync",
    "async",
];
