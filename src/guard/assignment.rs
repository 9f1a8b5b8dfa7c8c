//! The best overall pairing of two sides: a maximum-weight bipartite matching.

use std::collections::BTreeMap;

/// One allowed pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index on the left side.
    pub left: usize,
    /// Index on the right side.
    pub right: usize,
    /// What the pair is worth; a pair worth 0 or less is never taken.
    pub weight: i64,
}

/// Picks the edges of greatest total weight such that no left and no right index is used twice, in order of `left`.
///
/// Each connected part of the graph is solved on its own with the Hungarian algorithm, in `O(a²b)` for a part of `a` by `b`
/// (`a <= b`); equal edges in equal order give the same answer.
#[must_use]
pub fn heaviest(edges: &[Edge]) -> Vec<Edge> {
    let mut chosen: Vec<Edge> = parts(edges).iter().flat_map(|part| solve(part)).collect();
    chosen.sort_unstable_by_key(|edge| edge.left);
    chosen
}

/// Splits the edges into connected parts.
fn parts(edges: &[Edge]) -> Vec<Vec<Edge>> {
    let mut by_left: BTreeMap<usize, Vec<&Edge>> = BTreeMap::new();
    let mut by_right: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| edge.weight > 0) {
        by_left.entry(edge.left).or_default().push(edge);
        by_right.entry(edge.right).or_default().push(edge.left);
    }
    let mut parts = Vec::new();
    while let Some((&first, _)) = by_left.first_key_value() {
        let mut part = Vec::new();
        let mut open = vec![first];
        while let Some(left) = open.pop() {
            for edge in by_left.remove(&left).unwrap_or_default() {
                open.extend(by_right.remove(&edge.right).unwrap_or_default());
                part.push(*edge);
            }
        }
        parts.push(part);
    }
    parts
}

fn solve(part: &[Edge]) -> Vec<Edge> {
    if let [edge] = part {
        return vec![*edge];
    }
    let lefts = ranks(part.iter().map(|edge| edge.left));
    let rights = ranks(part.iter().map(|edge| edge.right));
    let flip = lefts.len() > rights.len();
    let (rows, width) = if flip {
        (rights.len(), lefts.len())
    } else {
        (lefts.len(), rights.len())
    };
    let mut costs = vec![0; rows * width];
    let mut places = BTreeMap::new();
    for edge in part {
        if let (Some(&left), Some(&right)) = (lefts.get(&edge.left), rights.get(&edge.right)) {
            let (row, column) = if flip { (right, left) } else { (left, right) };
            if let Some(cost) = costs.get_mut(row * width + column)
                && -edge.weight < *cost
            {
                *cost = -edge.weight;
                places.insert((row, column), *edge);
            }
        }
    }
    cheapest(&costs, width)
        .into_iter()
        .filter_map(|place| places.remove(&place))
        .collect()
}

fn ranks(indices: impl Iterator<Item = usize>) -> BTreeMap<usize, usize> {
    let mut ranks: BTreeMap<usize, usize> = indices.map(|index| (index, 0)).collect();
    for (rank, slot) in ranks.values_mut().enumerate() {
        *slot = rank;
    }
    ranks
}

#[derive(Clone, Default)]
struct Column {
    row: Option<usize>,
    potential: i64,
    slack: i64,
    before: Option<usize>,
    is_reached: bool,
}

/// Gives every row its own column at the least total cost; there are at least as many columns as rows. A place without an
/// edge costs 0 and edges cost less, so a row on such a place is one that stays unmatched.
fn cheapest(costs: &[i64], width: usize) -> Vec<(usize, usize)> {
    let mut columns = vec![Column::default(); width];
    let mut potentials = vec![0; costs.len() / width.max(1)];
    for row in 0..potentials.len() {
        let end = reach_free_column(row, costs, &mut columns, &mut potentials);
        shift_along_path(end, row, &mut columns);
    }
    let placed = columns.iter().enumerate();
    placed
        .filter_map(|(column, state)| Some((state.row?, column)))
        .collect()
}

/// Dijkstra over the reduced costs from `start` to the nearest column that has no row yet.
fn reach_free_column(
    start: usize,
    costs: &[i64],
    columns: &mut [Column],
    potentials: &mut [i64],
) -> Option<usize> {
    let width = columns.len();
    for column in columns.iter_mut() {
        column.slack = i64::MAX;
        column.before = None;
        column.is_reached = false;
    }
    let (mut row, mut here) = (start, None);
    loop {
        let potential = potentials.get(row).copied().unwrap_or(0);
        let row_costs = costs.iter().skip(row * width);
        let mut nearest: Option<(i64, bool, usize)> = None;
        for (index, (column, cost)) in columns.iter_mut().zip(row_costs).enumerate() {
            if column.is_reached {
                continue;
            }
            let slack = cost - potential - column.potential;
            if slack < column.slack {
                column.slack = slack;
                column.before = here;
            }
            // Among equally near columns a free one ends the search at once.
            let candidate = (column.slack, column.row.is_some(), index);
            if nearest.is_none_or(|best| candidate < best) {
                nearest = Some(candidate);
            }
        }
        let (distance, is_taken, index) = nearest?;
        if let Some(potential) = potentials.get_mut(start) {
            *potential += distance;
        }
        for column in columns.iter_mut() {
            if column.is_reached {
                column.potential -= distance;
                if let Some(potential) = column.row.and_then(|row| potentials.get_mut(row)) {
                    *potential += distance;
                }
            } else {
                column.slack -= distance;
            }
        }
        let column = columns.get_mut(index)?;
        column.is_reached = true;
        if !is_taken {
            return Some(index);
        }
        here = Some(index);
        row = column.row?;
    }
}

/// Moves every row on the path one column on, which frees the first column for `start`.
fn shift_along_path(end: Option<usize>, start: usize, columns: &mut [Column]) {
    let mut here = end;
    while let Some(index) = here {
        let before = columns.get(index).and_then(|column| column.before);
        let row = match before {
            Some(before) => columns.get(before).and_then(|column| column.row),
            None => Some(start),
        };
        if let Some(column) = columns.get_mut(index) {
            column.row = row;
        }
        here = before;
    }
}
