//! The best overall pairing of two sides: a maximum-weight bipartite matching.

/// Picks places of a table, no two in one row or one column, of greatest total weight; answers `(row, column)` of each.
///
/// `weights` holds the table row by row, `width` places in each; a place of weight 0 or less is never picked. The Hungarian
/// algorithm, in `O(a²b)` for a table of `a` by `b` (`a <= b`). Equal tables give equal answers.
#[must_use]
pub fn heaviest(weights: &[i64], width: usize) -> Vec<(usize, usize)> {
    let height = weights.len().checked_div(width).unwrap_or(0);
    let is_pick = |&(row, column): &(usize, usize)| weights.get(row * width + column).is_some_and(|weight| *weight > 0);
    // A place that is not to be picked costs 0 and the others less, so a row on such a place is one that stays alone.
    let cost = |weight: &i64| -(*weight).max(0);
    let mut picks: Vec<(usize, usize)> = if height <= width {
        let costs: Vec<i64> = weights.iter().map(cost).collect();
        cheapest(&costs, width)
    } else {
        let mut costs = Vec::with_capacity(weights.len());
        for column in 0..width {
            costs.extend(weights.iter().skip(column).step_by(width).map(cost));
        }
        let mut turned = cheapest(&costs, height);
        for (column, row) in &mut turned {
            std::mem::swap(column, row);
        }
        turned
    };
    picks.retain(is_pick);
    picks
}

#[derive(Clone, Default)]
struct Column {
    row: Option<usize>,
    potential: i64,
    slack: i64,
    before: Option<usize>,
    is_reached: bool,
}

/// Gives every row its own column at the least total cost; there are at least as many columns as rows.
fn cheapest(costs: &[i64], width: usize) -> Vec<(usize, usize)> {
    let mut columns = vec![Column::default(); width];
    let mut potentials = vec![0; costs.len() / width.max(1)];
    for row in 0..potentials.len() {
        let end = reach_free_column(row, costs, &mut columns, &mut potentials);
        shift_along_path(end, row, &mut columns);
    }
    let placed = columns.iter().enumerate();
    placed.filter_map(|(column, state)| Some((state.row?, column))).collect()
}

/// Dijkstra over the reduced costs from `start` to the nearest column that has no row yet.
fn reach_free_column(start: usize, costs: &[i64], columns: &mut [Column], potentials: &mut [i64]) -> Option<usize> {
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
        let is_over = here.is_none() && !is_taken;
        // Nothing to shift when the very first column is free, as it mostly is.
        for column in columns.iter_mut().filter(|_| distance != 0 && !is_over) {
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
