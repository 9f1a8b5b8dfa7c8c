//! Which sessions run, and which were started by which (R5).

use std::collections::{BTreeMap, BTreeSet};

use crate::id::SessionId;

/// The sessions that run, and the parents of the subagents' sessions.
#[derive(Debug, Default)]
pub(crate) struct Family {
    parents: BTreeMap<SessionId, SessionId>,
    running: BTreeSet<SessionId>,
}

impl Family {
    /// Remembers that `session` was started by `parent`.
    pub(crate) fn adopt(&mut self, session: SessionId, parent: SessionId) {
        self.parents.insert(session, parent);
    }

    /// Forgets a session.
    pub(crate) fn remove(&mut self, session: &SessionId) {
        self.parents.remove(session);
        self.running.remove(session);
    }

    /// Remembers whether `session` runs.
    pub(crate) fn set_running(&mut self, session: &SessionId, is_running: bool) {
        if is_running {
            self.running.insert(session.clone());
        } else {
            self.running.remove(session);
        }
    }

    /// Whether `session` was started by another one.
    pub(crate) fn is_subagent(&self, session: &SessionId) -> bool {
        self.parents.contains_key(session)
    }

    /// The session from which `session` descends in the end; itself when it has no parent.
    pub(crate) fn root_of<'a>(&'a self, session: &'a SessionId) -> &'a SessionId {
        let mut root = session;
        // A host that names two sessions each other's parents must not hang us.
        for _ in 0..=self.parents.len() {
            match self.parents.get(root) {
                Some(parent) => root = parent,
                None => break,
            }
        }
        root
    }

    /// Whether a session runs that descends from `root`.
    pub(crate) fn is_descendant_running(&self, root: &SessionId) -> bool {
        self.running.iter().any(|session| session != root && self.root_of(session) == root)
    }

    /// How many sessions are remembered.
    pub(crate) fn len(&self) -> usize {
        self.parents.len().max(self.running.len())
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
