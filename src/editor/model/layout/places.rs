//! Third phase: rows of columns that fill the canvas, and the places of the nodes in them.

use eframe::egui::{Vec2, vec2};

use super::flow::Flow;
use super::measures::{GAP, ROW_GAP};
use super::order::Lattice;

/// Sweeps that straighten wires.
const SWEEPS: usize = 12;
/// Room that one more wire needs in a gap \[points\].
const LANE: f32 = 8.0;
/// Wires that a gap has room for.
const LANES: usize = 4;
/// What a wire from a row to a later one costs, as height \[points\].
const RETURN: f32 = 20.0;

/// Columns of nodes, broken into rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rows {
    /// The first column of each row.
    breaks: Vec<usize>,
    /// The zoom at which all of it fits on the canvas, less a little for wires that return.
    pub score: f32,
}

impl Rows {
    /// The row of a column.
    pub(super) fn row_of(&self, column: usize) -> usize {
        self.breaks.partition_point(|first| *first <= column)
    }
}

/// Ways to break columns into rows, so many at most: first the one that shows nodes largest on a canvas of this size.
pub(super) fn rows(flow: &Flow, columns: &[Vec<usize>], canvas: Vec2, most: usize) -> Vec<Rows> {
    let width = |column: &Vec<usize>| column.iter().fold(0.0f32, |width, node| width.max(flow.sizes[*node].x)) + GAP.x;
    let height = |column: &Vec<usize>| column.iter().map(|node| flow.sizes[*node].y + GAP.y).sum::<f32>();
    let (widths, heights): (Vec<f32>, Vec<f32>) = columns.iter().map(|c| (width(c), height(c))).unzip();
    let returns: Vec<usize> = (0..=columns.len()).map(|column| returning(flow, columns, column)).collect();
    let mut found = vec![Rows { breaks: vec![0], score: 0.0 }];
    let mut limits: Vec<f32> = Vec::new();
    for first in 0..columns.len() {
        limits.extend((first..columns.len()).map(|last| widths[first..=last].iter().sum::<f32>()));
    }
    limits.sort_by(f32::total_cmp);
    limits.dedup();
    for limit in limits {
        // The least height of the columns up to each, and where its last row begins.
        let mut least = vec![(0.0f32, 0usize)];
        for last in 1..=columns.len() {
            let mut best = (f32::INFINITY, 0);
            let (mut wide, mut high) = (0.0, 0.0f32);
            for first in (0..last).rev() {
                wide += widths[first];
                high = high.max(heights[first]);
                if wide > limit {
                    break;
                }
                let gap = if first == 0 { 0.0 } else { ROW_GAP + RETURN * returns[first] as f32 };
                let total = least[first].0 + high + gap;
                if total < best.0 {
                    best = (total, first);
                }
            }
            least.push(best);
        }
        let high = least[columns.len()].0;
        let score = (canvas.x / limit).min(canvas.y / high.max(1.0));
        let (mut breaks, mut last) = (Vec::new(), columns.len());
        while last > 0 {
            last = least[last].1;
            breaks.push(last);
        }
        breaks.reverse();
        match found.iter_mut().find(|rows| rows.breaks == breaks) {
            Some(rows) => rows.score = rows.score.max(score),
            None => found.push(Rows { breaks, score }),
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.truncate(most);
    found
}

/// Outputs on the left of a column that nodes from it on read.
fn returning(flow: &Flow, columns: &[Vec<usize>], column: usize) -> usize {
    let left = |node: usize| columns.iter().take(column).any(|nodes| nodes.contains(&node));
    let mut nets: Vec<usize> = flow.hard().filter(|w| left(w.from) != left(w.to)).map(|w| w.net).collect();
    nets.sort_unstable();
    nets.dedup();
    nets.len()
}

/// About the size of what `places` makes of it.
pub(super) fn size(flow: &Flow, columns: &[Vec<usize>], rows: &Rows) -> Vec2 {
    let mut size = Vec2::ZERO;
    for (row, first) in rows.breaks.iter().enumerate() {
        let last = rows.breaks.get(row + 1).copied().unwrap_or(columns.len());
        let columns = &columns[*first..last];
        let width = |column: &Vec<usize>| column.iter().fold(0.0f32, |width, node| width.max(flow.sizes[*node].x));
        let height = |column: &Vec<usize>| column.iter().map(|node| flow.sizes[*node].y + GAP.y).sum::<f32>();
        let gaps = (0..columns.len().saturating_sub(1)).map(|column| gap(flow, columns, column));
        size.x = size.x.max(columns.iter().map(width).chain(gaps).sum());
        size.y += columns.iter().map(height).fold(0.0, f32::max) + street(flow, columns);
    }
    size
}

/// The gap below a row: wider for more wires that run in it.
fn street(flow: &Flow, columns: &[Vec<usize>]) -> f32 {
    ROW_GAP + LANE * returning_beside(flow, columns).saturating_sub(LANES) as f32
}

/// The place of every node.
pub(super) fn places(flow: &Flow, columns: &[Vec<usize>], rows: &Rows) -> Vec<Vec2> {
    let mut places = vec![Vec2::ZERO; flow.sizes.len()];
    let mut top = 0.0;
    for (row, first) in rows.breaks.iter().enumerate() {
        let last = rows.breaks.get(row + 1).copied().unwrap_or(columns.len());
        let columns = &columns[*first..last];
        let lattice = Lattice::new(flow, columns);
        let heights = heights(&lattice);
        let mut x = 0.0;
        for (column, cells) in lattice.columns.iter().enumerate() {
            let mut width = 0.0f32;
            for cell in cells {
                if let Some(node) = lattice.cells[*cell].node {
                    places[node] = vec2(x, (top + heights[*cell]).round());
                    width = width.max(flow.sizes[node].x);
                }
            }
            x += width + gap(flow, columns, column);
        }
        let height = lattice.columns.iter().map(|column| lattice.height(column)).fold(0.0, f32::max);
        top += height + street(flow, columns);
    }
    places
}

/// The gap on the right of a column: wider for more wires that turn in it.
fn gap(flow: &Flow, columns: &[Vec<usize>], column: usize) -> f32 {
    let is = |node: usize, column: usize| columns.get(column).is_some_and(|nodes| nodes.contains(&node));
    let mut nets: Vec<usize> =
        flow.hard().filter(|w| is(w.from, column) || is(w.to, column + 1)).map(|w| w.net).collect();
    nets.sort_unstable();
    nets.dedup();
    GAP.x + 0.5 * LANE * nets.len().saturating_sub(LANES) as f32
}

/// Outputs in a row that are read in another or in the next frame.
fn returning_beside(flow: &Flow, columns: &[Vec<usize>]) -> usize {
    let inside = |node: usize| columns.iter().any(|nodes| nodes.contains(&node));
    let leaves = |from: usize, to: usize, next| inside(from) != inside(to) || (next && inside(from));
    let mut nets: Vec<usize> = flow.hard().filter(|w| leaves(w.from, w.to, w.next)).map(|w| w.net).collect();
    nets.sort_unstable();
    nets.dedup();
    nets.len()
}

/// The height of every cell of a row: wires as straight as they can be while no column gets higher than the highest.
fn heights(lattice: &Lattice) -> Vec<f32> {
    let highest = lattice.columns.iter().map(|column| lattice.height(column)).fold(0.0, f32::max);
    let mut heights = vec![0.0; lattice.cells.len()];
    for column in &lattice.columns {
        let mut y = 0.5 * (highest - lattice.height(column));
        for cell in column {
            heights[*cell] = y;
            y += lattice.cells[*cell].height + GAP.y;
        }
    }
    for sweep in 0..SWEEPS {
        let forward = sweep % 2 == 0;
        let both = sweep + 4 >= SWEEPS;
        let count = lattice.columns.len();
        for column in 0..count {
            let column = if forward { column } else { count - 1 - column };
            straighten(lattice, column, (forward || both, !forward || both), highest, &mut heights);
        }
    }
    heights
}

/// Moves the cells of a column to the median of the heights that their wires ask for, in their order and between 0 and
/// `highest`: least squares under an order, by pooling neighbours (Barlow et al. 1972).
fn straighten(lattice: &Lattice, column: usize, (before, after): (bool, bool), highest: f32, heights: &mut [f32]) {
    let cells = &lattice.columns[column];
    // Offsets turn the order with gaps into a plain order.
    let (mut offset, mut pools) = (0.0, Vec::<(f32, f32, usize)>::new());
    let mut offsets = Vec::new();
    for cell in cells {
        let (wish, weight) = wish(lattice, *cell, before, after, heights);
        pools.push((wish - offset, weight, 1));
        while let [.., (a, v, n), (b, w, m)] = pools.as_slice()
            && a > b
        {
            let pooled = ((a * v + b * w) / (v + w), v + w, n + m);
            pools.truncate(pools.len() - 2);
            pools.push(pooled);
        }
        offsets.push(offset);
        offset += lattice.cells[*cell].height + GAP.y;
    }
    let slack = (highest - (offset - GAP.y)).max(0.0);
    let values = pools.iter().flat_map(|(value, _, count)| std::iter::repeat_n(value.clamp(0.0, slack), *count));
    for ((cell, offset), value) in cells.iter().zip(offsets).zip(values) {
        heights[*cell] = value + offset;
    }
}

/// The height at which a cell's wires are straight: their median, and how much it counts.
fn wish(lattice: &Lattice, cell: usize, before: bool, after: bool, heights: &[f32]) -> (f32, f32) {
    let ends = lattice.pieces.iter().filter_map(|piece| match piece {
        piece if before && piece.to == cell => Some(heights[piece.from] + piece.start - piece.end),
        piece if after && piece.from == cell => Some(heights[piece.to] + piece.end - piece.start),
        _ => None,
    });
    let mut ends: Vec<f32> = ends.collect();
    ends.sort_by(f32::total_cmp);
    let lane = if lattice.cells[cell].node.is_none() { 4.0 } else { 1.0 };
    match ends.len() {
        0 => (heights[cell], 0.1),
        count => (0.5 * (ends[(count - 1) / 2] + ends[count / 2]), lane * count as f32),
    }
}
