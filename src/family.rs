//! Which sessions run, and which were started by which (R5).

use crate::id::SessionId;
use crate::sorted::SortedMap;
use crate::time::Millis;
use crate::todo::Todo;

/// The subagents' sessions: who started each, and whether it runs.
#[derive(Debug, Default)]
pub(crate) struct Family {
    subagents: SortedMap<SessionId, Subagent>,
    /// The moment of the input.
    pub(crate) now: Millis,
}

#[derive(Debug)]
struct Subagent {
    parent: SessionId,
    is_running: bool,
    /// Its list as last heard of.
    todos: Option<Vec<Todo>>,
    /// When something was last heard of it.
    heard_at: Millis,
}

impl Family {
    /// Remembers that `session` was started by `parent`.
    pub(crate) fn adopt(&mut self, session: SessionId, parent: SessionId) {
        let heard_at = self.now;
        match self.subagents.get_mut(&session) {
            Some(subagent) => (subagent.parent, subagent.heard_at) = (parent, heard_at),
            None => self.subagents.insert(session, Subagent { parent, is_running: false, todos: None, heard_at }),
        }
    }

    /// Forgets a session.
    pub(crate) fn remove(&mut self, session: &SessionId) {
        self.subagents.remove(session);
    }

    /// Forgets those of which nothing was heard for `memory` milliseconds.
    pub(crate) fn forget_unheard(&mut self, memory: u64) {
        let now = self.now;
        self.subagents.retain(|_, subagent| subagent.heard_at.after(memory) > now);
    }

    /// Remembers whether `session` runs, if it is a subagent's.
    pub(crate) fn set_running(&mut self, session: &SessionId, is_running: bool) {
        if let Some(subagent) = self.subagents.get_mut(session) {
            (subagent.is_running, subagent.heard_at) = (is_running, self.now);
        }
    }

    /// Remembers the list of `session`, if it is a subagent's.
    pub(crate) fn set_todos(&mut self, session: &SessionId, todos: Vec<Todo>) {
        if let Some(subagent) = self.subagents.get_mut(session) {
            (subagent.todos, subagent.heard_at) = (Some(todos), self.now);
        }
    }

    /// The list of a subagent's session as last heard of.
    pub(crate) fn todos(&self, session: &SessionId) -> Option<&[Todo]> {
        self.subagents.get(session)?.todos.as_deref()
    }

    /// Whether `session` was started by another one.
    pub(crate) fn is_subagent(&self, session: &SessionId) -> bool {
        self.subagents.get(session).is_some()
    }

    /// The session from which `session` descends in the end; itself when it has no parent.
    pub(crate) fn root_of<'a>(&'a self, session: &'a SessionId) -> &'a SessionId {
        let mut root = session;
        // A host that names two sessions each other's parents must not hang us.
        for _ in 0..=self.subagents.len() {
            match self.subagents.get(root) {
                Some(subagent) => root = &subagent.parent,
                None => break,
            }
        }
        root
    }

    /// Whether a session runs that descends from `root`.
    pub(crate) fn is_descendant_running(&self, root: &SessionId) -> bool {
        self.subagents.iter().any(|(session, subagent)| subagent.is_running && self.root_of(session) == root)
    }

    /// How many sessions are remembered.
    pub(crate) fn len(&self) -> usize {
        self.subagents.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> SessionId {
        SessionId(text.to_owned())
    }

    #[test]
    fn a_grandchild_keeps_its_root_waiting() {
        let mut family = Family::default();
        family.adopt(id("child"), id("root"));
        family.adopt(id("grandchild"), id("child"));
        family.set_running(&id("root"), true);
        family.set_running(&id("stranger"), true);
        assert!(!family.is_descendant_running(&id("root")));
        family.set_running(&id("grandchild"), true);
        assert!(family.is_descendant_running(&id("root")));
        assert!(!family.is_descendant_running(&id("other")));
        family.remove(&id("grandchild"));
        assert!(!family.is_descendant_running(&id("root")));
    }

    #[test]
    fn a_circle_of_parents_ends() {
        let mut family = Family::default();
        family.adopt(id("a"), id("b"));
        family.adopt(id("b"), id("a"));
        family.set_running(&id("a"), true);
        assert!(!family.is_descendant_running(&id("c")));
        assert!(family.is_subagent(&id("a")));
    }
}
