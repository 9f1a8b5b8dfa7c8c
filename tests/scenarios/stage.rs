//! The files, and the core that they are played to.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::{io, iter};

use libtest_mimic::Trial;
use todo_keeper::effect::{Effect, Step};
use todo_keeper::id::{MessageId, RequestId, SessionId};
use todo_keeper::input::{Input, Snapshot};
use todo_keeper::options::Source;
use todo_keeper::plugin::Plugin;
use todo_keeper::time::Millis;

use crate::expectation;
use crate::notation::{self, Words};

/// One test case for each scenario.
pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    match files(&folder) {
        Ok(paths) if !paths.is_empty() => paths.into_iter().map(trial).collect(),
        Ok(_) => vec![broken(format!("expected scenarios in {}, found none", folder.display()))],
        Err(error) => vec![broken(format!("expected to read {}, found: {error}", folder.display()))],
    }
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries: Vec<DirEntry> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    let paths = entries.iter().map(DirEntry::path);
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    paths.sort();
    Ok(paths)
}

fn broken(why: String) -> Trial {
    Trial::test("scenarios", move || Err(why.into()))
}

fn trial(path: PathBuf) -> Trial {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Trial::test(name, move || {
        let text = fs::read_to_string(&path)?;
        play(&text).map_err(|problem| format!("{}:{problem}", path.display()).into())
    })
}

/// Plays a whole scenario; the error begins with the number of the line that failed.
fn play(text: &str) -> Result<(), String> {
    let mut stage = Stage::default();
    let is_silent = |line: &str| line.is_empty() || line.starts_with('#');
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut lines = numbered.filter(|(_, line)| !is_silent(line)).peekable();
    while let Some((number, line)) = lines.next() {
        let below = iter::from_fn(|| lines.next_if(|(_, line)| line.starts_with('|')));
        let history: Vec<&str> = below.map(|(_, line)| line.trim_start_matches('|')).collect();
        stage.play_line(line, &history).map_err(|problem| format!("{number}: {line}\n{problem}"))?;
    }
    Ok(())
}

/// The latest request of each session.
type Requests = BTreeMap<SessionId, RequestId>;

#[derive(Default)]
struct Stage {
    sources: Vec<Source>,
    is_run: bool,
    plugin: Option<Plugin>,
    alarm: Option<Millis>,
    now: u64,
    fetches: Requests,
    prompts: Requests,
    scans: Requests,
    memories: Requests,
}

impl Stage {
    fn play_line(&mut self, line: &str, history: &[&str]) -> Result<(), String> {
        let (happens, follows) = line.split_once("->").unwrap_or((line, ""));
        if let Some(options) = happens.strip_prefix("options ") {
            return self.set_options(options, follows);
        }
        if happens.trim() == "run" {
            self.is_run = true;
            return Ok(());
        }
        let mut words = Words::of(happens)?;
        self.now = notation::time(&words.expect("a time")?, self.now)?;
        let (sources, is_run, alarm) = (&self.sources, self.is_run, self.alarm);
        self.plugin.get_or_insert_with(|| new_plugin(sources, is_run).0);
        let step = if let Some(hook) = hook(&mut words) {
            self.plugin.as_mut().map(|plugin| Step { effects: hook(plugin), wake_at: alarm })
        } else {
            let input = self.input(&mut words, history)?;
            self.plugin.as_mut().map(|plugin| plugin.handle(input, Millis(self.now)))
        };
        words.end()?;
        let (Some(step), Some(plugin)) = (step, &self.plugin) else { return Err("expected a plugin".to_owned()) };
        self.alarm = step.wake_at;
        note_requests(&step, [&mut self.fetches, &mut self.prompts, &mut self.scans, &mut self.memories]);
        expectation::check(follows, self.now, &step, plugin)
    }

    /// Options stand before everything else; what follows from them is what the new plugin says.
    fn set_options(&mut self, options: &str, follows: &str) -> Result<(), String> {
        if self.plugin.is_some() {
            return Err("expected options before the first input".to_owned());
        }
        let source = Source { file: "opencode.json".to_owned(), text: Some(options.to_owned()), error: None };
        self.sources.push(source);
        let (plugin, step) = new_plugin(&self.sources, self.is_run);
        expectation::check(follows, self.now, &step, &plugin)
    }

    fn input(&self, words: &mut Words, history: &[&str]) -> Result<Input, String> {
        let session = words.session();
        let what = words.expect("what happens")?;
        Ok(match what.as_str() {
            "busy" => Input::SessionBusy { session },
            "retry" => Input::SessionRetrying { session },
            "idle" => Input::SessionIdle { session },
            "deleted" => Input::SessionDeleted { session },
            "wake" => Input::Wake,
            "failed" => {
                let name = words.expect("the error's name")?;
                Input::SessionFailed { session, error: notation::failure(name, words.next()) }
            }
            "subagent" if words.flag("of") => {
                Input::SubagentSeen { session, parent: SessionId(words.expect("the parent")?) }
            }
            "user" => Input::UserMessage { session, message: notation::user_message(words)? },
            "assistant" => Input::AssistantMessage { session, message: notation::assistant_message(words)? },
            "todos" => Input::TodosUpdated { session, todos: notation::todos(words)? },
            "step" => Input::StepEnded {
                session,
                has_calls: words.flag("calls"),
                reason: words.value("reason=").unwrap_or_else(|| "stop".to_owned()),
                message: MessageId(words.expect("a message")?),
            },
            "asked" => Input::Asked { session, ask: words.expect("an id")? },
            "answered" => Input::Answered { session, ask: words.expect("an id")? },
            "fetched" => {
                let request = answered(words, &self.fetches, &session)?;
                let history = notation::history(history)?;
                Input::Fetched { request, session, snapshot: Snapshot { history, ..notation::snapshot(words)? } }
            }
            "prompted" => {
                let request = answered(words, &self.prompts, &session)?;
                Input::Prompted { request, session, error: notation::error(words) }
            }
            "command" => Input::Command { session, arguments: words.next().unwrap_or_default() },
            "remembered" => {
                let request = answered(words, &self.memories, &session)?;
                Input::Remembered { request, session, error: notation::error(words) }
            }
            "scanned" => {
                let request = answered(words, &self.scans, &session)?;
                let table = if words.flag("unknown") { None } else { Some(words.expect("what was found")?) };
                Input::Scanned { request, session, table }
            }
            other => return Err(format!("expected something that can happen, found {other}")),
        })
    }
}

fn new_plugin(sources: &[Source], is_run: bool) -> (Plugin, Step) {
    let (plugin, step) = Plugin::new(sources);
    (if is_run { plugin.under_run() } else { plugin }, step)
}

/// The call of a hook that has an answer of its own, when that is what happens; what it adds to the request is not looked at.
fn hook(words: &mut Words) -> Option<impl FnOnce(&mut Plugin) -> Vec<Effect> + use<>> {
    let is_summary = words.flag("summarising");
    let session = (is_summary || words.flag("requesting")).then(|| words.session())?;
    Some(move |plugin: &mut Plugin| {
        let advice =
            if is_summary { plugin.on_compacting(&session) } else { plugin.on_request(&session, iter::empty()) };
        advice.effects
    })
}

fn note_requests(step: &Step, [fetches, prompts, scans, memories]: [&mut Requests; 4]) {
    for effect in &step.effects {
        match effect {
            Effect::Fetch { request, session, .. } => fetches.insert(session.clone(), *request),
            Effect::Prompt { request, session, .. } => prompts.insert(session.clone(), *request),
            Effect::Remember { request, session, .. } => memories.insert(session.clone(), *request),
            Effect::Scan { request, session, .. } => scans.insert(session.clone(), *request),
            Effect::Unsend { .. } | Effect::Answer { .. } | Effect::Toast { .. } | Effect::Log { .. } => None,
        };
    }
}

/// The request that an answer names, or the latest of its session.
fn answered(words: &mut Words, latest: &Requests, session: &SessionId) -> Result<RequestId, String> {
    match words.request()? {
        Some(request) => Ok(request),
        None => latest.get(session).copied().ok_or_else(|| "expected a request before its answer".to_owned()),
    }
}
