//! Lays out nodes in three phases: `ranks` gives each node a column, `order` sorts the columns, and `places` breaks them into rows and
//! straightens wires.

mod flow;
mod framed;
mod make_room;
mod order;
mod places;
mod positions;
mod ranks;
pub(crate) mod route;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use eframe::egui::{Pos2, Rect, Vec2, vec2};

use crate::document::{Document, NodeKind, Scope};
use crate::edit::{self, NodeSignature};
use crate::library::Library;
pub(crate) use flow::{Flow, Wire, is_next};
pub(crate) use framed::arranged;
pub(crate) use make_room::{clear_of, enclosing, lowered, with_room};
pub(crate) use positions::{MIN_FRAME, finite, frame_area, node_position};
use route::{Ends, Ground, Route};
#[cfg(test)]
pub(crate) use tests::fixture;

/// Width of a node at zoom 1 \[points\]; the crate's own.
pub(crate) const WIDTH: f32 = 200.0;

/// Gap between two columns, and between two nodes of a column \[points\].
const GAP: Vec2 = vec2(48.0, 22.0);
/// Gap between two rows of columns \[points\].
const ROW_GAP: f32 = 54.0;
/// The canvas that layouts are made for: that of a window of 1600 x 1000 points, without margins.
pub(crate) const CANVAS: Vec2 = vec2(836.0, 516.0);
/// Heights of columns that are tried, as shares of the height of all nodes below each other.
const SHARES: &[f32] = &[1.0, 0.5, 0.35, 0.25, 0.18, 0.12, 0.09];
/// Ways to break columns into rows that are tried for each of them.
const BREAKS: usize = 4;
/// In a graph with more wires only the first of each is tried.
const LARGE: usize = 200;
/// The zoom from which on text has a good size, and what more of it is worth.
const GOOD: f32 = 0.72;
const BEYOND: f32 = 0.15;
/// What a crossing costs, as a share of the zoom.
const CROSSING: f32 = 0.01;
/// What the length of a wire costs that is as long as a node is wide, as a share of the zoom.
const LENGTH: f32 = 0.04;
/// Gain of a layout in which all nodes stay where they are, as a share.
const KEPT: f32 = 0.25;
/// What is left of a layout's worth in which another Output is the first: the View would show that.
const OTHER_FIRST: f32 = 0.3;
/// Margin of a frame around its nodes, in which wires have room, and the height of its title \[points\].
const FRAME: Vec2 = vec2(34.0, 28.0);
const FRAME_TITLE: f32 = 30.0;

/// Distance of two ports of a node \[points\].
pub(crate) const PORT: f32 = 21.5;

/// Estimated size of a node on the canvas before it is drawn \[points\].
pub(crate) fn node_size(signature: &NodeSignature) -> Vec2 {
    vec2(WIDTH, 60.5 + PORT * (signature.inputs.len() + signature.outputs.len()) as f32)
}

/// Estimated distance of the port of a row from the top before it is drawn \[points\].
pub(crate) fn port_height(row: usize) -> f32 {
    42.75 + PORT * row as f32
}

/// Lays out nodes without a position, in the document and in its groups.
pub(crate) fn place_all(document: &mut Document, library: &Library) {
    let mut pending = vec![Scope::default()];
    while let Some(scope) = pending.pop() {
        let signatures = edit::signature::level(document, &scope, library);
        place_new(document, &scope, &signatures);
        let Some(level) = document.level(&scope) else { continue };
        let groups = level.nodes().iter().filter(|(_, node)| matches!(node.kind, NodeKind::Group(_)));
        pending.extend(groups.map(|(name, _)| scope.inside(name)));
    }
}

/// Lays out the nodes of a level without a position: those that all lie at the origin. They are placed below the others.
pub(crate) fn place_new(document: &mut Document, scope: &Scope, signatures: &BTreeMap<String, NodeSignature>) {
    let Some(level) = document.level(scope) else { return };
    let unplaced = |name: &str| level.nodes().get(name).is_none_or(|node| node.at == (0.0, 0.0));
    if level.nodes().keys().filter(|name| unplaced(name)).count() < 2 {
        return;
    }
    let place = |name: &str| level.nodes().get(name).map_or(Vec2::ZERO, |node| vec2(node.at.0, node.at.1));
    let flow = Flow::new(level, signatures, place, |name| signatures.get(name).map_or(Vec2::ZERO, node_size));
    let bottoms =
        flow.areas().into_iter().zip(&flow.names).filter(|(_, name)| !unplaced(name)).map(|(area, _)| area.bottom());
    let below = bottoms.filter(|bottom| bottom.is_finite()).max_by(f32::total_cmp).map(|bottom| bottom + ROW_GAP);
    // Blocks of a group's ports stay beside nodes that have a place.
    let block = |name: &str| !level.nodes().contains_key(name);
    let new = |name: &str| unplaced(name) && (below.is_none() || !block(name));
    let part = flow.part(&(0..flow.names.len()).filter(|node| new(&flow.names[*node])).collect::<Vec<_>>());
    for (name, at) in part.names.iter().zip(arranged(&part, &[]).0) {
        edit::place(document, scope, name, (at.x, at.y + below.unwrap_or(0.0)));
    }
}

/// A place for every node, without frames: layered from left to right, in rows that fill the canvas (Sugiyama, Tagawa and Toda 1981).
fn layered(flow: &Flow) -> Vec<Vec2> {
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
fn tried(flow: &Flow, shares: &[f32], canvas: Vec2) -> Vec<Vec<Vec2>> {
    let mut tried: Vec<Vec<Vec2>> = Vec::new();
    for (columns, rows) in broken(flow, shares, canvas) {
        let places = places::places(flow, &columns, &rows);
        if !tried.contains(&places) {
            tried.push(places);
        }
    }
    tried
}

/// The same in columns, and the rows that these are broken into.
fn broken(flow: &Flow, shares: &[f32], canvas: Vec2) -> Vec<(Vec<Vec<usize>>, places::Rows)> {
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
fn first_output(flow: &Flow, places: &[Vec2]) -> Option<usize> {
    let before = |a: &usize, b: &usize| {
        let (a, b) = (places[*a], places[*b]);
        a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x))
    };
    flow.outputs.iter().copied().min_by(before)
}

/// The share of nodes that stay about where they are, so that a small edit changes little.
fn kept(flow: &Flow, places: &[Vec2]) -> f32 {
    let stays = flow.at.iter().zip(places).filter(|(a, b)| (**a - **b).abs().max_elem() < 0.5 * WIDTH);
    stays.count() as f32 / places.len().max(1) as f32
}

/// How well nodes at these places read: their zoom on the canvas with these frames, less a share for every crossing.
fn score(flow: &Flow, places: &[Vec2], frames: &[Rect]) -> f32 {
    let areas: Vec<Rect> =
        places.iter().zip(&flow.sizes).map(|(at, size)| Rect::from_min_size(at.to_pos2(), *size)).collect();
    let drawn = Drawing::new(flow, areas);
    let zoom = drawn.zoom(frames);
    // Once text has a good size, more rows for larger nodes only break the flow.
    let size = zoom.min(GOOD) + BEYOND * (zoom - GOOD).max(0.0);
    size / (1.0 + CROSSING * drawn.crossings() as f32 + LENGTH * drawn.length())
}

/// A layout with its wires, as the canvas draws it.
struct Drawing {
    areas: Vec<Rect>,
    wires: Vec<Ends>,
    points: Vec<Vec<Pos2>>,
}

impl Drawing {
    fn new(flow: &Flow, areas: Vec<Rect>) -> Drawing {
        let ends = |wire: &Wire| {
            let from = areas[wire.from].right_top() + vec2(0.0, wire.start);
            let to = areas[wire.to].left_top() + vec2(0.0, wire.end);
            Ends { from, to, net: wire.net, next: wire.next }
        };
        let wires: Vec<Ends> = flow.hard().map(ends).collect();
        let routes = route::routes(&Ground::new(areas.clone()), &wires);
        let points = wires.iter().zip(routes).map(|(ends, route)| match route {
            Route::Curve => route::curve(ends.from, ends.to, 1.0),
            Route::Path(path) => route::rounded(&path, 1.0),
        });
        let points = points.collect();
        Drawing { areas, wires, points }
    }

    /// The zoom at which all of it is in view, with these frames.
    fn zoom(&self, frames: &[Rect]) -> f32 {
        let wires = self.points.iter().map(|points| Rect::from_points(points));
        let all = self.areas.iter().chain(frames).copied().chain(wires);
        let bounds = all.fold(Rect::NOTHING, Rect::union);
        (CANVAS / bounds.size()).min_elem().min(1.0)
    }

    /// The mean length of a wire, in widths of a node.
    fn length(&self) -> f32 {
        let of = |points: &Vec<Pos2>| points.windows(2).map(|p| p[0].distance(p[1])).sum::<f32>();
        self.points.iter().map(of).sum::<f32>() / (self.points.len().max(1) as f32 * WIDTH)
    }

    /// Places where wires of different outputs cross. Wires of one output that run together cross another once.
    fn crossings(&self) -> usize {
        let mut places = BTreeSet::new();
        let bounds: Vec<Rect> = self.points.iter().map(|points| Rect::from_points(points).expand(1.0)).collect();
        for b in 0..self.points.len() {
            for a in (0..b).filter(|a| self.wires[*a].net != self.wires[b].net && bounds[*a].intersects(bounds[b])) {
                let nets = (self.wires[a].net.min(self.wires[b].net), self.wires[a].net.max(self.wires[b].net));
                for p in self.points[a].windows(2) {
                    for q in self.points[b].windows(2) {
                        if let Some(at) = route::crossing(p[0], p[1], q[0], q[1]) {
                            places.insert((nets, (at.x / 4.0) as i32, (at.y / 4.0) as i32));
                        }
                    }
                }
            }
        }
        places.len()
    }
}

/// Columns of nodes without wires, no higher than the others.
fn stacked(flow: &Flow, nodes: &[usize], tallest: f32) -> Vec<Vec<usize>> {
    let mut nodes = nodes.to_vec();
    nodes.sort_by(|a, b| flow.at[*a].y.total_cmp(&flow.at[*b].y));
    let (mut columns, mut height) = (Vec::<Vec<usize>>::new(), f32::INFINITY);
    for node in nodes {
        let own = flow.sizes[node].y + GAP.y;
        if height + own > tallest {
            columns.push(Vec::new());
            height = 0.0;
        }
        height += own;
        columns.last_mut().into_iter().for_each(|column| column.push(node));
    }
    columns
}

/// A document whose nodes have places; those that have none yet get them.
pub(crate) fn placed(mut document: Document) -> Document {
    place_all(&mut document, Library::builtin());
    document
}
