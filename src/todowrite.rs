//! The calls of `todowrite` under way (R8): what was put back into each, and what the model is told of it afterwards.

use serde::Serialize;

use crate::effect::Effect;
use crate::guard;
use crate::id::SessionId;
use crate::text;
use crate::todo::Todo;

/// The most calls that are remembered until they are done; one whose tool failed is never reported as done.
const MAX_CALLS: usize = 64;

/// The most dropped todos that are remembered until a call is done.
const MAX_DROPPED: usize = 1_024;

/// What is to be done before a `todowrite` runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Guarded {
    /// What to do, in this order.
    pub effects: Vec<Effect>,
    /// The todos to put back, at the end of the list that the model sent, in their old order.
    pub kept: Vec<Todo>,
}

/// The calls that something was put back into, and what was dropped in spite of that; oldest first.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: Vec<Call>,
    dropped: Vec<Dropped>,
}

/// A todo that a list was written without, as a safe line; the next call of the session that is done is told.
#[derive(Debug)]
struct Dropped {
    session: SessionId,
    line: String,
}

#[derive(Debug)]
struct Call {
    session: SessionId,
    id: String,
    /// The todos that the model's list left out, as safe lines.
    left_out: Vec<String>,
    /// Whether they are lost: the list could not be changed.
    is_lost: bool,
}

impl Calls {
    /// Remembers what a list left out, until its call is done. A call of the same id before it has failed: some providers count
    /// their calls anew in each reply.
    pub(crate) fn began(&mut self, session: &SessionId, id: &str, left_out: &[Todo]) {
        self.calls.retain(|call| !call.is(session, id));
        if left_out.is_empty() {
            return;
        }
        if self.calls.len() >= MAX_CALLS {
            self.calls.remove(0);
        }
        let left_out = left_out.iter().map(|todo| text::one_line(&todo.content)).collect();
        self.calls.push(Call { session: session.clone(), id: id.to_owned(), left_out, is_lost: false });
    }

    /// The list of a call could not be changed.
    pub(crate) fn refused(&mut self, session: &SessionId, id: &str) {
        for call in self.calls.iter_mut().filter(|call| call.is(session, id)) {
            call.is_lost = true;
        }
    }

    /// A list was written without these unfinished todos of the one before it: two calls at once were guarded by the same list,
    /// or somebody changed what was guarded.
    pub(crate) fn dropped(&mut self, session: &SessionId, todos: &[Todo]) {
        let room = MAX_DROPPED.saturating_sub(self.dropped.len());
        let dropped = todos.iter().take(room);
        self.dropped
            .extend(dropped.map(|todo| Dropped { session: session.clone(), line: text::one_line(&todo.content) }));
    }

    /// A call is done; returns what the model is told beside the tool's own answer.
    pub(crate) fn done(&mut self, session: &SessionId, id: &str) -> Option<String> {
        let (mut kept, mut lost) = (Vec::new(), Vec::new());
        if let Some(at) = self.calls.iter().position(|call| call.is(session, id)) {
            let call = self.calls.remove(at);
            if call.is_lost { lost = call.left_out } else { kept = call.left_out }
        }
        let known = lost.len();
        for dropped in self.dropped.extract_if(.., |dropped| dropped.session == *session) {
            // What could not be put back is heard of a second time when the list is written.
            if !lost.iter().take(known).any(|line| *line == dropped.line) {
                lost.push(dropped.line);
            }
        }
        match (guard::kept_line(&kept), guard::lost_line(&lost)) {
            (Some(kept), Some(lost)) => Some(format!("{kept}\n{lost}")),
            (kept, lost) => kept.or(lost),
        }
    }

    /// Forgets the calls of a session.
    pub(crate) fn forget(&mut self, session: &SessionId) {
        self.calls.retain(|call| call.session != *session);
        self.dropped.retain(|dropped| dropped.session != *session);
    }
}

impl Call {
    fn is(&self, session: &SessionId, id: &str) -> bool {
        self.session == *session && self.id == id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId(name.to_owned())
    }

    fn todo(content: &str) -> Todo {
        Todo { content: content.to_owned(), status: "pending".to_owned(), priority: "high".to_owned() }
    }

    #[test]
    fn each_call_is_told_its_own_once() {
        let mut calls = Calls::default();
        calls.began(&session("s"), "1", &[todo("a\nb")]);
        calls.began(&session("s"), "2", &[todo("c")]);
        calls.began(&session("t"), "1", &[todo("d")]);
        calls.began(&session("s"), "3", &[]);
        let told = |calls: &mut Calls, name: &str, id: &str| calls.done(&session(name), id).unwrap_or_default();
        assert!(told(&mut calls, "t", "1").contains('d'));
        assert!(told(&mut calls, "s", "1").contains("a b"));
        assert_eq!(told(&mut calls, "s", "1"), "");
        assert_eq!(told(&mut calls, "s", "3"), "");
        assert_eq!(told(&mut calls, "u", "2"), "");
    }

    #[test]
    fn a_call_that_failed_says_nothing_in_place_of_a_later_one_of_the_same_id() {
        let mut calls = Calls::default();
        calls.began(&session("s"), "1", &[todo("a")]);
        calls.began(&session("s"), "1", &[todo("b")]);
        let line = calls.done(&session("s"), "1").unwrap_or_default();
        assert!(line.contains("\"b\"") && !line.contains("\"a\""), "{line}");
        assert_eq!(calls.done(&session("s"), "1"), None);
        calls.began(&session("s"), "1", &[todo("a")]);
        calls.began(&session("s"), "1", &[]);
        assert_eq!(calls.done(&session("s"), "1"), None);
    }

    #[test]
    fn a_list_that_could_not_be_changed_is_said_to_be_lost() {
        let mut calls = Calls::default();
        calls.began(&session("s"), "1", &[todo("a")]);
        calls.refused(&session("s"), "1");
        let line = calls.done(&session("s"), "1").unwrap_or_default();
        assert!(line.contains("could not be put back") && line.contains("once more"), "{line}");
    }

    #[test]
    fn what_was_dropped_is_told_once_to_the_next_call_of_its_session() {
        let mut calls = Calls::default();
        calls.began(&session("s"), "1", &[todo("a")]);
        calls.dropped(&session("s"), &[todo("b\nc")]);
        assert_eq!(calls.done(&session("t"), "1"), None);
        let line = calls.done(&session("s"), "1").unwrap_or_default();
        let (kept, lost) = line.split_once('\n').unwrap_or_default();
        assert!(kept.starts_with("Kept 1 ") && kept.contains("\"a\""), "{line}");
        assert!(lost.starts_with("This list dropped 1 ") && lost.contains("\"b c\""), "{line}");
        assert_eq!(calls.done(&session("s"), "1"), None);
    }

    #[test]
    fn what_could_not_be_put_back_is_told_once() {
        let mut calls = Calls::default();
        calls.began(&session("s"), "1", &[todo("a"), todo("a")]);
        calls.refused(&session("s"), "1");
        calls.dropped(&session("s"), &[todo("a"), todo("a"), todo("b")]);
        let line = calls.done(&session("s"), "1").unwrap_or_default();
        assert!(line.starts_with("This list dropped 3 "), "{line}");
    }

    #[test]
    fn calls_that_are_never_done_are_bounded() {
        let mut calls = Calls::default();
        for id in 0..1_000 {
            calls.began(&session("s"), &id.to_string(), &[todo("a")]);
            calls.dropped(&session("s"), &[todo("a"), todo("b")]);
        }
        assert_eq!(calls.calls.len(), MAX_CALLS);
        assert_eq!(calls.dropped.len(), MAX_DROPPED);
        calls.forget(&session("s"));
        assert!(calls.calls.is_empty() && calls.dropped.is_empty());
    }
}
