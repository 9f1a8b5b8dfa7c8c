//! The todowrite guard (R8): which unfinished todos a new list leaves out, and what the model is told of it. The work is done by
//! a crate of its own, which is compiled for speed and not for size.

use crate::todo::Todo;

pub use todo_keeper_guard::{Sent, assignment, fold, kept_line, lost_line, similarity};

/// The unfinished todos of `old` that have no counterpart in `sent`, in their old order; see [`todo_keeper_guard::left_out`].
pub fn left_out<'a>(old: &'a [Todo], sent: &[Sent<'_>], is_unfinished: impl Fn(&str) -> bool) -> Vec<&'a Todo> {
    let listed = |todo: &'a Todo| todo_keeper_guard::Listed { content: &todo.content, status: &todo.status };
    let old_listed: Vec<_> = old.iter().map(listed).collect();
    let left_out = todo_keeper_guard::left_out(&old_listed, sent, &is_unfinished);
    left_out.into_iter().filter_map(|at| old.get(at)).collect()
}
