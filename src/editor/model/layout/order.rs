//! Second phase: the order of the nodes of each column, with few crossings (Sugiyama, Tagawa and Toda 1981). A wire that passes
//! columns has a cell of its own in each of them, which keeps room for it.

use std::collections::BTreeMap;

use super::flow::Flow;
use super::measures::GAP;

/// Sweeps over all columns.
const SWEEPS: usize = 24;
/// Height of the cell of a wire that passes a column \[points\].
const LANE: f32 = 4.0;

/// A node, or the place of a passing wire.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub node: Option<usize>,
    pub height: f32,
    column: usize,
}

/// A piece of a wire from a cell to one of the next column, with its heights in the two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub from: usize,
    pub to: usize,
    pub start: f32,
    pub end: f32,
}

/// Columns of cells, each from top to bottom.
#[derive(Clone, Debug, Default)]
pub(super) struct Lattice {
    pub cells: Vec<Cell>,
    pub columns: Vec<Vec<usize>>,
    pub pieces: Vec<Piece>,
}

impl Lattice {
    /// The columns of nodes with the wires between them, in an order with few crossings.
    pub(super) fn new(flow: &Flow, columns: &[Vec<usize>]) -> Lattice {
        let mut lattice = Lattice { columns: vec![Vec::new(); columns.len()], ..Lattice::default() };
        let mut of = BTreeMap::new();
        for (column, nodes) in columns.iter().enumerate() {
            for node in nodes {
                of.insert(*node, lattice.push(Some(*node), flow.sizes[*node].y, column));
            }
        }
        let mut lanes = BTreeMap::new();
        for wire in flow.wires.iter().filter(|wire| !wire.next && !wire.soft) {
            let (Some(first), Some(last)) = (of.get(&wire.from).copied(), of.get(&wire.to).copied()) else { continue };
            let (mut from, mut start) = (first, wire.start);
            for column in lattice.cells[first].column + 1..lattice.cells[last].column {
                let lane = *lanes.entry((wire.net, column)).or_insert_with(|| lattice.push(None, LANE, column));
                lattice.join(Piece { from, to: lane, start, end: 0.5 * LANE });
                (from, start) = (lane, 0.5 * LANE);
            }
            if lattice.cells[first].column < lattice.cells[last].column {
                lattice.join(Piece { from, to: last, start, end: wire.end });
            }
        }
        lattice.sort(flow);
        lattice
    }

    fn push(&mut self, node: Option<usize>, height: f32, column: usize) -> usize {
        self.cells.push(Cell { node, height, column });
        self.columns[column].push(self.cells.len() - 1);
        self.cells.len() - 1
    }

    fn join(&mut self, piece: Piece) {
        if !self.pieces.contains(&piece) {
            self.pieces.push(piece);
        }
    }

    /// The better of two beginnings: the order in which nodes stand now, so that a small edit changes little, and the order in which
    /// wires lead to them.
    fn sort(&mut self, flow: &Flow) {
        let height = |lattice: &Lattice, cell: usize| lattice.cells[cell].node.map_or(0.0, |node| flow.at[node].y);
        let mut now = self.clone();
        for column in 0..now.columns.len() {
            let mut cells = std::mem::take(&mut now.columns[column]);
            cells.sort_by(|a, b| height(&now, *a).total_cmp(&height(&now, *b)));
            now.columns[column] = cells;
        }
        let mut led = self.clone();
        led.lead();
        now.improve();
        led.improve();
        *self = if led.crossings() < now.crossings() { led } else { now };
    }

    /// Orders cells as they are first reached from the last column.
    fn lead(&mut self) {
        let mut seen = Vec::new();
        let last = self.columns.iter().rev().flatten().copied().collect::<Vec<_>>();
        for root in last {
            let mut stack = vec![root];
            while let Some(cell) = stack.pop() {
                if seen.contains(&cell) {
                    continue;
                }
                seen.push(cell);
                let mut before: Vec<&Piece> = self.pieces.iter().filter(|piece| piece.to == cell).collect();
                before.sort_by(|a, b| b.end.total_cmp(&a.end));
                stack.extend(before.iter().map(|piece| piece.from));
            }
        }
        for column in &mut self.columns {
            column.sort_by_key(|cell| seen.iter().position(|other| other == cell));
        }
    }

    fn improve(&mut self) {
        self.swap();
        let (mut best, mut least) = (self.columns.clone(), self.crossings());
        for sweep in 0..SWEEPS {
            let columns: Vec<usize> = match sweep % 2 {
                0 => (0..self.columns.len()).collect(),
                _ => (0..self.columns.len()).rev().collect(),
            };
            for column in columns {
                self.by_mean(column, sweep % 2 == 0);
            }
            self.swap();
            let crossings = self.crossings();
            if crossings < least {
                (best, least) = (self.columns.clone(), crossings);
            }
        }
        self.columns = best;
    }

    /// Sorts a column by the mean height of what its cells are wired to on one side.
    fn by_mean(&mut self, column: usize, before: bool) {
        let heights = self.heights();
        let mean = |cell: usize| {
            let ends = self.pieces.iter().filter_map(|piece| match before {
                true => (piece.to == cell).then(|| heights[piece.from] + piece.start - piece.end),
                false => (piece.from == cell).then(|| heights[piece.to] + piece.end - piece.start),
            });
            let ends: Vec<f32> = ends.collect();
            match ends.len() {
                0 => heights[cell],
                count => ends.iter().sum::<f32>() / count as f32,
            }
        };
        let mut cells: Vec<(f32, usize)> = self.columns[column].iter().map(|cell| (mean(*cell), *cell)).collect();
        cells.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.columns[column] = cells.into_iter().map(|(_, cell)| cell).collect();
    }

    /// Swaps neighbours while that leaves fewer crossings.
    fn swap(&mut self) {
        let mut improved = true;
        while improved {
            improved = false;
            for column in 0..self.columns.len() {
                for place in 1..self.columns[column].len() {
                    let (a, b) = (self.columns[column][place - 1], self.columns[column][place]);
                    if self.between(b, a) < self.between(a, b) {
                        self.columns[column].swap(place - 1, place);
                        improved = true;
                    }
                }
            }
        }
    }

    /// Crossings of the wires of two neighbours of a column, if `a` is above `b`.
    fn between(&self, a: usize, b: usize) -> usize {
        let places = self.places();
        let crossed = |above: &[(f32, f32)], below: &[(f32, f32)]| {
            above.iter().map(|x| below.iter().filter(|y| y.0 < x.0 || (y.0 == x.0 && y.1 < x.1)).count()).sum::<usize>()
        };
        let side = |cell: usize, before: bool| -> Vec<(f32, f32)> {
            let ends = self.pieces.iter().filter_map(|piece| match before {
                true => (piece.to == cell).then(|| (places[piece.from] as f32, piece.start)),
                false => (piece.from == cell).then(|| (places[piece.to] as f32, piece.end)),
            });
            ends.collect()
        };
        crossed(&side(a, true), &side(b, true)) + crossed(&side(a, false), &side(b, false))
    }

    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.cells.len()];
        for column in &self.columns {
            column.iter().enumerate().for_each(|(place, cell)| places[*cell] = place);
        }
        places
    }

    /// The height of every cell if columns are centred.
    fn heights(&self) -> Vec<f32> {
        let mut heights = vec![0.0; self.cells.len()];
        for column in &self.columns {
            let mut y = -0.5 * self.height(column);
            for cell in column {
                heights[*cell] = y;
                y += self.cells[*cell].height + GAP.y;
            }
        }
        heights
    }

    /// The height of a column without slack.
    pub(super) fn height(&self, column: &[usize]) -> f32 {
        column.iter().map(|cell| self.cells[*cell].height + GAP.y).sum::<f32>() - GAP.y
    }

    /// Pairs of wire pieces that cross.
    pub(super) fn crossings(&self) -> usize {
        let places = self.places();
        let key = |cell: usize, height: f32| (places[cell], height);
        let mut count = 0;
        for (index, a) in self.pieces.iter().enumerate() {
            for b in self.pieces.iter().skip(index + 1) {
                if self.cells[a.from].column == self.cells[b.from].column {
                    let start = key(a.from, a.start).partial_cmp(&key(b.from, b.start));
                    let end = key(a.to, a.end).partial_cmp(&key(b.to, b.end));
                    let crossed = start.zip(end).is_some_and(|(s, e)| s.is_ne() && s == e.reverse());
                    count += usize::from(crossed);
                }
            }
        }
        count
    }
}
