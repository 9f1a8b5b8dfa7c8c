use std::iter;

use super::*;

fn source(text: &str) -> Source {
    Source { file: "todo-reminder.json".to_owned(), text: Some(text.to_owned()), error: None }
}

fn resolve(text: &str) -> (Options, Vec<String>) {
    let (options, diagnostics) = Options::resolve(&[source(text)]);
    (options, diagnostics.iter().map(ToString::to_string).collect())
}

#[test]
fn without_sources_everything_has_its_default() {
    let (options, diagnostics) = Options::resolve(&[]);
    assert_eq!(options, Options::default());
    assert!(diagnostics.is_empty());
}

#[test]
fn every_option_can_be_set() {
    let (options, said) = resolve(
        r#"{ "enabled": false, "triggerStatuses": ["todo"], "maxAutoSubmitsPerTodo": 5, "maxRemindersPerMessage": 7,
             "idleDelayMs": 20, "messageFormat": "a", "inProgressMessageFormat": "b", "useToasts": false,
             "continueInRun": true, "skipAgents": ["review"], "syntheticPrompt": true, "preserveUnfinishedTodos": false,
             "warnOrphanedTodos": true, "orphanScanLimit": 0, "debug": true, "taskTools": ["todowrite", "tasks"],
             "nudge": { "enabled": false, "afterRequests": 3, "cooldownRequests": 4, "placement": "user-message",
                        "messageFormat": "{todos}" } }"#,
    );
    let expected = Options {
        enabled: false,
        trigger_statuses: ["todo".to_owned()].into(),
        max_auto_submits_per_todo: 5,
        max_reminders_per_message: 7,
        idle_delay_ms: 20,
        message_format: "a".to_owned(),
        in_progress_message_format: "b".to_owned(),
        use_toasts: false,
        continue_in_run: Some(true),
        ends_at_idle: false,
        skip_agents: ["review".to_owned()].into(),
        synthetic_prompt: true,
        preserve_unfinished_todos: false,
        warn_orphaned_todos: true,
        orphan_scan_limit: 0,
        debug: true,
        nudge: NudgeOptions {
            enabled: false,
            after_requests: 3,
            cooldown_requests: 4,
            placement: Placement::UserMessage,
            message_format: "{todos}".to_owned(),
        },
        task_tools: vec!["todowrite".to_owned(), "tasks".to_owned()],
    };
    assert_eq!(said, Vec::<String>::new());
    assert_eq!(options, expected);
}

#[test]
fn a_later_source_wins_field_by_field() {
    let sources = [source(r#"{ "idleDelayMs": 1, "maxAutoSubmitsPerTodo": 9 }"#), source(r#"{ "idleDelayMs": 2 }"#)];
    let (options, diagnostics) = Options::resolve(&sources);
    assert!(diagnostics.is_empty());
    assert_eq!((options.idle_delay_ms, options.max_auto_submits_per_todo), (2, 9));
}

#[test]
fn a_bad_field_falls_back_alone_to_the_value_below_it() {
    let sources = [source(r#"{ "idleDelayMs": 1 }"#), source(r#"{ "idleDelayMs": "fast", "debug": true }"#)];
    let (options, diagnostics) = Options::resolve(&sources);
    assert_eq!((options.idle_delay_ms, options.debug), (1, true));
    let said: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        ["todo-reminder.json: idleDelayMs: expected a whole number of milliseconds from 0 to 3600000, found \"fast\""]
    );
}

#[test]
fn values_of_the_wrong_kind_or_out_of_range_are_rejected() {
    for bad in [
        r#"{ "enabled": "yes" }"#,
        r#"{ "enabled": null }"#,
        r#"{ "idleDelayMs": -1 }"#,
        r#"{ "idleDelayMs": 1.5 }"#,
        r#"{ "idleDelayMs": 3600001 }"#,
        r#"{ "idleDelayMs": 1e300 }"#,
        r#"{ "maxAutoSubmitsPerTodo": 1001 }"#,
        r#"{ "maxRemindersPerMessage": [3] }"#,
        r#"{ "messageFormat": "" }"#,
        r#"{ "messageFormat": " \n" }"#,
        r#"{ "inProgressMessageFormat": 7 }"#,
        r#"{ "triggerStatuses": "pending" }"#,
        r#"{ "triggerStatuses": ["pending", 1] }"#,
        r#"{ "triggerStatuses": ["pending", "completed"] }"#,
        r#"{ "skipAgents": [""] }"#,
        r#"{ "skipAgents": { "plan": true } }"#,
        r#"{ "nudge": true }"#,
        r#"{ "nudge": { "afterRequests": 0 } }"#,
        r#"{ "nudge": { "placement": "middle" } }"#,
        r#"{ "nudge": { "nudge": { "enabled": false } } }"#,
        r#"{ "nudge.enabled": false }"#,
        r#"{ "taskTools": [] }"#,
        r#"{ "warnOrphanedTodos": 1 }"#,
        r#"{ "orphanScanLimit": 1001 }"#,
        r#"{ "orphanScanLimit": true }"#,
    ] {
        let (options, said) = resolve(bad);
        assert_eq!(options, Options::default(), "{bad}");
        assert_eq!(said.len(), 1, "{bad}: {said:?}");
    }
}

#[test]
fn the_fields_of_the_nudge_fall_back_one_by_one() {
    let (options, said) = resolve(r#"{ "nudge": { "enabled": false, "afterRequests": "often", "after": 3 } }"#);
    assert_eq!((options.nudge.enabled, options.nudge.after_requests), (false, 8));
    assert_eq!(said.len(), 2);
    assert!(said.iter().any(|line| line.contains("nudge.afterRequests: expected a whole number from 1")), "{said:?}");
    assert!(said.iter().any(|line| line.contains("nearest is nudge.afterRequests")), "{said:?}");
}

#[test]
fn whole_numbers_may_be_written_as_floats() {
    assert_eq!(resolve(r#"{ "idleDelayMs": 500.00, "maxAutoSubmitsPerTodo": 4.0 }"#).1, Vec::<String>::new());
}

#[test]
fn comments_trailing_commas_and_a_byte_order_mark_are_read() {
    let (options, said) = resolve("\u{FEFF}// mine\n{ /* fast */ \"idleDelayMs\": 5, \"skipAgents\": [\"a\",], }\n");
    assert_eq!(said, Vec::<String>::new());
    assert_eq!(options.idle_delay_ms, 5);
}

#[test]
fn what_is_no_json_object_is_named_as_a_whole() {
    for bad in ["", "   ", "[]", "3", "\"x\"", "{ idleDelayMs: 5 }", "{ \"idleDelayMs\": 5", "{ \"a\": 1 } }", "\u{0}"]
    {
        let (options, said) = resolve(bad);
        assert_eq!(options, Options::default(), "{bad:?}");
        assert_eq!(said.len(), 1, "{bad:?}: {said:?}");
        assert!(said.iter().all(|line| line.starts_with("todo-reminder.json: expected ")), "{bad:?}: {said:?}");
    }
}

#[test]
fn two_hundred_kilobytes_of_junk_are_survived() {
    for unit in ["[", "{\"a\":", "x", "\"", "\u{FFFD}"] {
        let (options, said) = resolve(&unit.repeat(200_000 / unit.len()));
        assert_eq!(options, Options::default());
        assert!(said.iter().all(|line| line.len() < 1_500), "{unit:?}");
        assert_eq!(said.len(), 1, "{unit:?}");
    }
}

#[test]
fn an_unreadable_file_is_named_with_the_reason() {
    let broken = Source { file: "x.json".to_owned(), text: None, error: Some("it is a directory".to_owned()) };
    let (_, diagnostics) = Options::resolve(&[broken]);
    let said: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["x.json: expected a file that can be read, found it is a directory"]);
}

#[test]
fn an_unknown_option_is_named_with_the_nearest_one() {
    let (options, said) = resolve(r#"{ "idleDelay": 5, "IDLEDELAYMS": 6, "maxAutoSubmits": 1 }"#);
    assert_eq!(options, Options::default());
    assert_eq!(said.len(), 3);
    assert!(said.iter().filter(|line| line.contains("nearest is idleDelayMs")).count() == 2, "{said:?}");
    assert!(said.iter().any(|line| line.contains("nearest is maxAutoSubmitsPerTodo")), "{said:?}");
}

#[test]
fn no_name_is_offered_that_is_not_near() {
    for name in ["foo", "bar", "retries", "constructor"] {
        let (_, said) = resolve(&format!("{{ \"{name}\": 1 }}"));
        assert!(
            said.iter().all(|line| line.contains("init writes them all down") && !line.contains("nearest")),
            "{said:?}"
        );
    }
}

#[test]
fn a_field_of_the_nudge_belongs_inside_of_nudge() {
    let (options, said) = resolve(r#"{ "nudge.enabled": false }"#);
    assert_eq!(options, Options::default());
    let expected =
        "expected it inside of nudge, like { \"nudge\": { \"enabled\": true } }, found the name nudge.enabled";
    assert_eq!(said, [format!("todo-reminder.json: nudge.enabled: {expected}")]);
}

#[test]
fn old_options_are_named_with_their_successors() {
    let (_, said) = resolve(r#"{ "message": "x", "includeProgressInPrompt": true, "cooldownMs": 1, "marker": "m" }"#);
    assert_eq!(said.len(), 4);
    for successor in ["messageFormat (the old", "{completed} and {total}", "idleDelayMs and", "metadata"] {
        assert!(said.iter().any(|line| line.contains(successor)), "{successor}: {said:?}");
    }
}

#[test]
fn an_unknown_placeholder_is_named_and_the_format_is_taken() {
    let (options, said) = resolve(r#"{ "messageFormat": "{remaining} of {totl}" }"#);
    assert_eq!(options.message_format, "{remaining} of {totl}");
    assert_eq!(said.len(), 1);
    assert!(said.iter().all(|line| line.contains("found {totl}")), "{said:?}");
}

#[test]
fn the_schema_reference_is_accepted_and_ignored() {
    assert_eq!(resolve(r#"{ "$schema": "./options.schema.json" }"#).1, Vec::<String>::new());
}

#[test]
fn what_a_file_says_cannot_write_more_than_a_line() {
    let (_, said) = resolve("{ \"</system>\\n\u{202E}\": 1, \"debug\": \"a\\nb<c>\" }");
    assert!(said.iter().all(|line| !line.contains(['\n', '<', '>', '\u{202E}'])), "{said:?}");
}

/// The schema that ships in the package.
const SCHEMA: &str = include_str!("../../schema.json");

/// Every option of the schema with its default; those of `nudge` one by one. The reference to the schema is none.
fn options_of_the_schema() -> Vec<(String, serde_json::Value)> {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    properties(&schema)
        .flat_map(|(name, option)| {
            let parts = properties(option).map(|(part, option)| (format!("{name}.{part}"), default_of(option)));
            iter::once((name.clone(), default_of(option))).chain(parts).collect::<Vec<_>>()
        })
        .filter(|(name, _)| name != "$schema")
        .collect()
}

fn properties(schema: &serde_json::Value) -> impl Iterator<Item = (&String, &serde_json::Value)> {
    schema.get("properties").and_then(serde_json::Value::as_object).into_iter().flatten()
}

fn default_of(option: &serde_json::Value) -> serde_json::Value {
    option.get("default").cloned().unwrap_or_default()
}

#[test]
fn the_schema_has_every_option_and_no_other() {
    let mut of_the_schema: Vec<String> = options_of_the_schema().into_iter().map(|(name, _)| name).collect();
    let mut of_the_core: Vec<&str> = field::NAMES.into();
    of_the_schema.sort_unstable();
    of_the_core.sort_unstable();
    assert_eq!(of_the_schema, of_the_core, "schema.json and NAMES in src/options/field.rs must name the same options");
}

#[test]
fn the_schemas_defaults_are_those_of_the_core() {
    // Laid over options that differ everywhere, so that a default that is missing or other than the core's is seen.
    let all_other = source(
        r#"{ "enabled": false, "triggerStatuses": [], "maxAutoSubmitsPerTodo": 999, "maxRemindersPerMessage": 999,
             "idleDelayMs": 999, "messageFormat": "x", "inProgressMessageFormat": "x", "useToasts": false,
             "continueInRun": false, "skipAgents": [], "syntheticPrompt": true, "preserveUnfinishedTodos": false, "warnOrphanedTodos": true,
             "orphanScanLimit": 999, "debug": true, "taskTools": ["x"],
             "nudge": { "enabled": false, "afterRequests": 999, "cooldownRequests": 999, "placement": "user-message",
                        "messageFormat": "x" } }"#,
    );
    let (mut all, mut parts) = (Vec::new(), Vec::new());
    for (name, default) in options_of_the_schema() {
        match name.split_once('.') {
            Some((_, part)) => parts.push(format!("\"{part}\": {default}")),
            None if name == "nudge" => {}
            None => all.push(format!("\"{name}\": {default}")),
        }
    }
    let defaults = source(&format!("{{ {}, \"nudge\": {{ {} }} }}", all.join(", "), parts.join(", ")));
    let (options, diagnostics) = Options::resolve(&[all_other, defaults]);
    assert_eq!(diagnostics, Vec::new());
    assert_eq!(options, Options::default(), "schema.json and src/options.rs must have the same defaults");
}
