//! How many reminders a message of the person is worth (R6).

use crate::options::Options;
use crate::todo::{Stage, Todo};

/// The most different todos whose stages are remembered; what comes after them is no progress.
const MAX_REMEMBERED: usize = 5_000;

/// Counts the reminders since the last real user message, and recognises progress.
///
/// Progress is monotone. A todo that was in the list when the person spoke counts when it reaches a stage that it had never
/// reached since; one that appeared later, new or reworded, only when it is finished for the first time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budget {
    sent: u32,
    without_progress: u32,
    /// By wording.
    records: Vec<Record>,
}

/// What is known of the todos of one wording.
#[derive(Clone, Debug)]
struct Record {
    /// Stands for the wording: lists are long and budgets are many.
    wording: u64,
    /// The best stage that each occurrence reached, best first.
    best: Vec<Stage>,
    /// The stages in the latest list, best first.
    latest: Vec<Stage>,
    /// Whether the wording was in the list when the person spoke.
    is_old: bool,
}

/// What is left of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// More than one reminder.
    Some,
    /// One reminder.
    Last,
    /// No reminder: so many brought no progress.
    NoProgress(u32),
    /// No reminder: so many were sent for one message.
    TooMany(u32),
}

impl Budget {
    /// The budget after a person spoke while the list was `todos`.
    pub(crate) fn renewed(todos: &[Todo]) -> Self {
        let mut budget = Self::default();
        budget.observe(todos);
        for record in &mut budget.records {
            record.is_old = true;
        }
        budget
    }

    /// Counts a reminder; returns its number in the series, from 1.
    pub(crate) fn count_reminder(&mut self) -> u32 {
        self.sent = self.sent.saturating_add(1);
        self.without_progress = self.without_progress.saturating_add(1);
        self.sent
    }

    /// Gives back a reminder that was counted and then taken back.
    pub(crate) const fn uncount_reminder(&mut self) {
        self.sent = self.sent.saturating_sub(1);
        self.without_progress = self.without_progress.saturating_sub(1);
    }

    /// Whether a reminder was counted since the person spoke.
    pub(crate) const fn has_begun(&self) -> bool {
        self.sent > 0
    }

    /// Counts a reminder that was found in the session's messages under this number.
    pub(crate) fn recount_reminder(&mut self, number: u32) {
        self.sent = self.sent.max(number);
        self.without_progress = self.without_progress.saturating_add(1);
    }

    /// Looks at the list as it is now; returns whether there was progress, which gives back what was spent without any.
    pub(crate) fn observe(&mut self, todos: &[Todo]) -> bool {
        let mut now: Vec<(u64, Stage)> = todos.iter().map(|todo| (wording(todo), todo.stage())).collect();
        now.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        let before: usize = self.records.iter().map(Record::finished).sum();
        let mut carried_over = 0;
        for record in &mut self.records {
            let stays = now.partition_point(|(wording, _)| *wording <= record.wording)
                - now.partition_point(|(wording, _)| *wording < record.wording);
            carried_over += record.finished().min(stays);
            record.latest.clear();
        }
        let vanished = before - carried_over;
        let mut progress = false;
        let mut appeared = 0;
        for same in now.chunk_by(|a, b| a.0 == b.0) {
            let Some(record) = same.first().and_then(|(wording, _)| self.record(*wording)) else { continue };
            record.latest = same.iter().map(|(_, stage)| *stage).collect();
            progress |= record.rise();
            appeared += record.grow();
        }
        // As many finished ones that appeared as finished ones that are gone may be the same, reworded.
        progress |= appeared > vanished;
        if progress {
            self.without_progress = 0;
        }
        progress
    }

    /// The record of a wording, made if there is room for it.
    fn record(&mut self, wording: u64) -> Option<&mut Record> {
        match self.records.binary_search_by_key(&wording, |record| record.wording) {
            Ok(at) => self.records.get_mut(at),
            Err(_) if self.records.len() >= MAX_REMEMBERED => None,
            Err(at) => {
                self.records.insert(at, Record { wording, best: Vec::new(), latest: Vec::new(), is_old: false });
                self.records.get_mut(at)
            }
        }
    }

    /// How many reminders were sent since the person spoke, and how many of them since there was progress.
    pub(crate) const fn spent(&self) -> (u32, u32) {
        (self.sent, self.without_progress)
    }

    /// What is left under these options.
    pub(crate) fn left(&self, options: &Options) -> Left {
        if self.without_progress >= options.max_auto_submits_per_todo {
            return Left::NoProgress(self.without_progress);
        }
        if self.sent >= options.max_reminders_per_message {
            return Left::TooMany(self.sent);
        }
        let is_last = self.without_progress + 1 == options.max_auto_submits_per_todo
            || self.sent + 1 == options.max_reminders_per_message;
        if is_last { Left::Last } else { Left::Some }
    }
}

impl Record {
    /// How many of the latest list are finished.
    fn finished(&self) -> usize {
        self.latest.iter().filter(|stage| **stage == Stage::Finished).count()
    }

    /// Raises the best stages to the latest ones; returns whether one of them is progress.
    fn rise(&mut self) -> bool {
        let mut progress = false;
        for (best, stage) in self.best.iter_mut().zip(&self.latest) {
            if *stage > *best {
                *best = *stage;
                progress |= self.is_old || *stage == Stage::Finished;
            }
        }
        progress
    }

    /// Takes in the occurrences that are new; returns how many of them came finished.
    fn grow(&mut self) -> usize {
        let new = self.latest.get(self.best.len()..).unwrap_or_default();
        self.best.extend_from_slice(new);
        new.iter().filter(|stage| **stage == Stage::Finished).count()
    }
}

/// FNV-1a: a few instructions, where the standard library's hasher is a kilobyte.
fn wording(todo: &Todo) -> u64 {
    let mix = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    todo.content.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list written like `a:pending b:completed`.
    fn list(text: &str) -> Vec<Todo> {
        let todo = |(content, status): (&str, &str)| Todo {
            content: content.to_owned(),
            status: status.to_owned(),
            priority: String::new(),
        };
        text.split_whitespace().filter_map(|word| word.split_once(':')).map(todo).collect()
    }

    /// Whether each list after the first, which was there when the person spoke, is progress.
    fn progress(lists: &[&str]) -> Vec<bool> {
        let mut budget = Budget::renewed(&list(lists.first().unwrap_or(&"")));
        lists.iter().skip(1).map(|text| budget.observe(&list(text))).collect()
    }

    #[test]
    fn each_new_stage_of_an_old_todo_is_progress_once() {
        let lists =
            ["a:pending", "a:in_progress", "a:pending", "a:in_progress", "a:completed", "a:pending", "a:cancelled"];
        assert_eq!(progress(&lists), [true, false, false, true, false, false]);
    }

    #[test]
    fn a_todo_that_appears_counts_once_it_is_finished() {
        let lists = ["", "a:pending", "a:in_progress", "a:completed", "a:completed b:completed"];
        assert_eq!(progress(&lists), [false, false, true, true]);
    }

    #[test]
    fn rewording_is_no_progress() {
        assert_eq!(progress(&["a:pending", "a2:in_progress", "a3:pending"]), [false, false]);
        assert_eq!(progress(&["a:completed b:pending", "a2:completed b:pending"]), [false]);
        assert_eq!(progress(&["a:completed b:pending", "a2:completed b:completed"]), [true]);
    }

    #[test]
    fn finished_todos_that_are_dropped_while_another_is_finished_do_not_hide_it() {
        assert_eq!(progress(&["a:completed b:pending", "b:completed"]), [true]);
        assert_eq!(progress(&["a:completed", "b:pending", "b:completed"]), [false, true]);
    }

    #[test]
    fn reordering_and_dropping_are_no_progress() {
        assert_eq!(progress(&["a:pending b:in_progress", "b:in_progress a:pending", "b:in_progress", ""]), [false; 3]);
    }

    #[test]
    fn twins_are_two_todos() {
        let lists =
            ["a:pending a:pending", "a:completed a:pending", "a:pending a:completed", "a:completed a:completed"];
        assert_eq!(progress(&lists), [true, false, true]);
        assert_eq!(progress(&["a:completed", "a:completed a:completed"]), [true]);
    }

    #[test]
    fn statuses_that_opencode_does_not_know_are_pending() {
        assert_eq!(progress(&["a:open", "a:blocked", "a:pending", "a:in_progress"]), [false, false, true]);
    }

    #[test]
    fn reminders_without_progress_are_bounded() {
        let options = Options::default();
        let mut budget = Budget::renewed(&list("a:pending"));
        assert_eq!(budget.left(&options), Left::Some);
        assert_eq!((budget.count_reminder(), budget.left(&options)), (1, Left::Some));
        assert_eq!((budget.count_reminder(), budget.left(&options)), (2, Left::Last));
        assert_eq!((budget.count_reminder(), budget.left(&options)), (3, Left::NoProgress(3)));
        assert!(budget.observe(&list("a:completed")));
        assert_eq!(budget.left(&options), Left::Some);
    }

    #[test]
    fn reminders_for_one_message_are_bounded_however_much_progress_there_is() {
        let options = Options { max_reminders_per_message: 3, ..Options::default() };
        let mut budget = Budget::default();
        for number in 1..=3 {
            assert_eq!(budget.left(&options), if number == 3 { Left::Last } else { Left::Some });
            assert_eq!(budget.count_reminder(), number);
            assert!(budget.observe(&list(&format!("t{number}:completed"))) || number > 1);
        }
        assert_eq!(budget.left(&options), Left::TooMany(3));
    }

    #[test]
    fn a_bound_of_none_sends_none() {
        let options = Options { max_auto_submits_per_todo: 0, ..Options::default() };
        assert_eq!(Budget::default().left(&options), Left::NoProgress(0));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut budget = Budget::default();
        for batch in 0..12 {
            let text: Vec<String> = (0..1_000).map(|n| format!("t{batch}-{n}:completed")).collect();
            budget.observe(&list(&text.join(" ")));
        }
        assert_eq!(budget.records.len(), MAX_REMEMBERED);
    }
}
