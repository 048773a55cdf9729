//! Wires that share a gap lie beside each other, in an order in which they cross least.

use eframe::egui::{Pos2, pos2};

use super::search::Ground;
use super::wire::{Ends, Route};

/// Distance between two wires of a gap \[points\].
const APART: f32 = 7.0;

/// The pieces of one output's wires on one line.
#[derive(Clone, Debug)]
struct Strand {
    net: usize,
    /// Position of the strand's line, and where the strand begins and ends on it.
    at: f32,
    low: f32,
    high: f32,
    /// Where wires leave it, and to which side: below 0 towards smaller coordinates of the line.
    leaves: Vec<(f32, f32)>,
    /// The wires, and their pieces by number.
    pieces: Vec<(usize, usize)>,
    /// Between which lines it can lie.
    slack: (f32, f32),
}

impl Strand {
    fn overlaps(&self, other: &Strand) -> bool {
        self.low < other.high + APART && other.low < self.high + APART
    }

    /// Crossings if this strand lies on the line before the other.
    fn crossings_before(&self, other: &Strand) -> usize {
        let within = |at: f32, strand: &Strand| strand.low < at && at < strand.high;
        let ours = self.leaves.iter().filter(|(at, side)| *side > 0.0 && within(*at, other)).count();
        ours + other.leaves.iter().filter(|(at, side)| *side < 0.0 && within(*at, self)).count()
    }
}

/// Moves pieces of paths on the same line apart.
pub(crate) fn spread(ground: &Ground, wires: &[Ends], routes: &mut [Route]) {
    for upright in [true, false] {
        let mut strands = strands(ground, wires, routes, upright);
        strands.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.low.total_cmp(&b.low)));
        while let Some(first) = strands.pop() {
            let mut group = vec![first];
            // All that overlap on this line, directly or through others.
            while let Some(index) =
                strands.iter().position(|s| group.iter().any(|g| (g.at - s.at).abs() < 1.0 && g.overlaps(s)))
            {
                group.push(strands.remove(index));
            }
            lay(&mut group, routes, upright);
        }
    }
}

/// Assigns lines to strands that overlap.
fn lay(group: &mut [Strand], routes: &mut [Route], upright: bool) {
    group.sort_by(|a, b| a.low.total_cmp(&b.low).then(a.net.cmp(&b.net)));
    for sorted in 1..group.len() {
        for place in (1..=sorted).rev() {
            let (a, b) = (&group[place - 1], &group[place]);
            if b.crossings_before(a) >= a.crossings_before(b) {
                break;
            }
            group.swap(place - 1, place);
        }
    }
    let mut lanes: Vec<usize> = Vec::new();
    for (index, strand) in group.iter().enumerate() {
        let before = group.iter().zip(&lanes).take(index).filter(|(other, _)| other.overlaps(strand));
        lanes.push(before.map(|(_, lane)| lane + 1).max().unwrap_or(0));
    }
    let last = lanes.iter().max().copied().unwrap_or(0) as f32;
    let low = group.iter().map(|strand| strand.slack.0).fold(f32::MIN, f32::max);
    let high = group.iter().map(|strand| strand.slack.1).fold(f32::MAX, f32::min);
    let apart = if last > 0.0 { APART.min((high - low).max(0.0) / last) } else { APART };
    let Some(at) = group.first().map(|strand| strand.at) else { return };
    let first = (at - 0.5 * apart * last).min(high - apart * last).max(low);
    for (strand, lane) in group.iter().zip(lanes) {
        for (wire, piece) in &strand.pieces {
            let Some(Route::Path(path)) = routes.get_mut(*wire) else { continue };
            for point in path.iter_mut().skip(*piece).take(2) {
                *(if upright { &mut point.x } else { &mut point.y }) = first + apart * lane as f32;
            }
        }
    }
}

/// The pieces of all paths in one direction, but for the first and the last ones, which ports hold. Those of one output on one line are
/// together.
fn strands(ground: &Ground, wires: &[Ends], routes: &[Route], upright: bool) -> Vec<Strand> {
    let turned = |p: Pos2| if upright { p } else { pos2(p.y, p.x) };
    let mut strands: Vec<Strand> = Vec::new();
    for (wire, (ends, route)) in wires.iter().zip(routes).enumerate() {
        let Route::Path(path) = route else { continue };
        for (index, piece) in path.windows(4).enumerate() {
            let [before, a, b, after] = [piece[0], piece[1], piece[2], piece[3]].map(turned);
            if a.x != b.x {
                continue;
            }
            let mut strand = Strand {
                net: ends.net,
                at: a.x,
                low: a.y.min(b.y),
                high: a.y.max(b.y),
                leaves: vec![(a.y, before.x - a.x), (b.y, after.x - b.x)],
                pieces: vec![(wire, index + 1)],
                slack: ground.slack(piece[1], piece[2]),
            };
            let same = |other: &Strand, strand: &Strand| {
                let near = (other.at - strand.at).abs() < 1.0;
                other.net == strand.net && near && other.low <= strand.high && strand.low <= other.high
            };
            while let Some(place) = strands.iter().position(|other| same(other, &strand)) {
                let other = strands.remove(place);
                strand.low = strand.low.min(other.low);
                strand.high = strand.high.max(other.high);
                strand.leaves.extend(other.leaves);
                strand.pieces.extend(other.pieces);
                strand.slack = (strand.slack.0.max(other.slack.0), strand.slack.1.min(other.slack.1));
            }
            strands.push(strand);
        }
    }
    strands
}
