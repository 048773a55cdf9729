//! Layout without frames: layers from left to right, tried in several heights of columns and breaks into rows.

use eframe::egui::Vec2;

use super::flow::Flow;
use super::measures::{CANVAS, GAP};
use super::score::{kept, score};
use super::{places, ranks};

/// Heights of columns that are tried, as shares of the height of all nodes below each other.
pub(super) const SHARES: &[f32] = &[1.0, 0.5, 0.35, 0.25, 0.18, 0.12, 0.09];
/// Ways to break columns into rows that are tried for each of them.
const BREAKS: usize = 4;
/// In a graph with more wires only the first of each is tried.
const LARGE: usize = 200;
/// Gain of a layout in which all nodes stay where they are, as a share.
pub(super) const KEPT: f32 = 0.25;
/// What is left of a layout's worth in which another Output is the first: the View would show that.
const OTHER_FIRST: f32 = 0.3;

/// A place for every node, without frames: layered from left to right, in rows that fill the canvas (Sugiyama, Tagawa and Toda 1981).
pub(super) fn layered(flow: &Flow) -> Vec<Vec2> {
    let mut tried = tried(flow, SHARES, CANVAS);
    if tried.len() == 1 {
        return tried.remove(0);
    }
    let first = first_output(flow, &flow.at);
    let shown = |places: &[Vec2]| if first_output(flow, places) == first { 1.0 } else { OTHER_FIRST };
    let score = |places: &[Vec2]| shown(places) * score(flow, places, &[]) * (1.0 + KEPT * kept(flow, places));
    let scored = tried.into_iter().map(|places| (score(&places), places));
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, places)| places).unwrap_or_default()
}

/// Layouts for a canvas of this size, with columns of at most these heights.
pub(super) fn tried(flow: &Flow, shares: &[f32], canvas: Vec2) -> Vec<Vec<Vec2>> {
    let mut tried: Vec<Vec<Vec2>> = Vec::new();
    for (columns, rows) in broken(flow, shares, canvas) {
        let places = places::places(flow, &columns, &rows);
        if !tried.contains(&places) {
            tried.push(places);
        }
    }
    tried
}

/// Layouts as columns, and the rows that these are broken into.
pub(super) fn broken(flow: &Flow, shares: &[f32], canvas: Vec2) -> Vec<(Vec<Vec<usize>>, places::Rows)> {
    let wired = |node: &usize| flow.hard().any(|wire| wire.from == *node || wire.to == *node);
    let (wired, loose): (Vec<usize>, Vec<usize>) =
        (0..flow.sizes.len()).partition(|node| wired(node) || flow.first(*node));
    let part = flow.part(&wired);
    let highest = flow.sizes.iter().map(|size| size.y + GAP.y).sum::<f32>();
    let large = flow.wires.len() > LARGE;
    let mut found: Vec<(Vec<Vec<usize>>, places::Rows)> = Vec::new();
    for share in if large { &shares[..1] } else { shares } {
        let ranks = ranks::ranks(&part, share * highest);
        let mut columns = vec![Vec::new(); ranks.iter().max().map_or(0, |last| last + 1)];
        ranks.iter().enumerate().for_each(|(node, rank)| columns[*rank].push(wired[node]));
        let high = |column: &Vec<usize>| column.iter().map(|node| flow.sizes[*node].y + GAP.y).sum::<f32>();
        let tallest = columns.iter().map(high).fold(0.0, f32::max);
        let columns: Vec<Vec<usize>> = stacked(flow, &loose, tallest).into_iter().chain(columns).collect();
        if found.iter().any(|(other, _)| *other == columns) {
            continue;
        }
        let rows = places::rows(flow, &columns, canvas, if large { 1 } else { BREAKS });
        found.extend(rows.into_iter().map(|rows| (columns.clone(), rows)));
    }
    found
}

/// The Output that is first from top to bottom, then from left to right.
pub(super) fn first_output(flow: &Flow, places: &[Vec2]) -> Option<usize> {
    let before = |a: &usize, b: &usize| {
        let (a, b) = (places[*a], places[*b]);
        a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x))
    };
    flow.outputs.iter().copied().min_by(before)
}

/// Columns of nodes without wires, no higher than the others.
fn stacked(flow: &Flow, nodes: &[usize], tallest: f32) -> Vec<Vec<usize>> {
    let mut nodes = nodes.to_vec();
    nodes.sort_by(|a, b| flow.at[*a].y.total_cmp(&flow.at[*b].y));
    let (mut columns, mut height) = (Vec::<Vec<usize>>::new(), f32::INFINITY);
    for node in nodes {
        let node_height = flow.sizes[node].y + GAP.y;
        if height + node_height > tallest {
            columns.push(Vec::new());
            height = 0.0;
        }
        height += node_height;
        columns.last_mut().into_iter().for_each(|column| column.push(node));
    }
    columns
}
