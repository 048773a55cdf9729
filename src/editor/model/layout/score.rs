//! How well a layout reads: the zoom at which it fills the canvas, and where its wires cross.

use std::collections::BTreeSet;

use eframe::egui::{Pos2, Rect, Vec2, vec2};

use super::flow::{Flow, Wire};
use super::measures::{CANVAS, WIDTH};
use super::route::{self, Ends, Ground, Route};

/// The zoom from which on text has a good size, and what more of it is worth.
const GOOD: f32 = 0.72;
const BEYOND: f32 = 0.15;
/// What a crossing costs, as a share of the zoom.
pub(super) const CROSSING: f32 = 0.01;
/// What the length of a wire costs that is as long as a node is wide, as a share of the zoom.
pub(super) const LENGTH: f32 = 0.04;

/// The share of nodes that stay about where they are, so that a small edit changes little.
pub(super) fn kept(flow: &Flow, places: &[Vec2]) -> f32 {
    let stays = flow.at.iter().zip(places).filter(|(a, b)| (**a - **b).abs().max_elem() < 0.5 * WIDTH);
    stays.count() as f32 / places.len().max(1) as f32
}

/// How well nodes at these places read: their zoom on the canvas with these frames, less a share for every crossing.
pub(super) fn score(flow: &Flow, places: &[Vec2], frames: &[Rect]) -> f32 {
    let areas: Vec<Rect> =
        places.iter().zip(&flow.sizes).map(|(at, size)| Rect::from_min_size(at.to_pos2(), *size)).collect();
    let drawn = Drawing::new(flow, areas);
    let zoom = drawn.zoom(frames);
    // Once text has a good size, more rows for larger nodes only break the flow.
    let size = zoom.min(GOOD) + BEYOND * (zoom - GOOD).max(0.0);
    size / (1.0 + CROSSING * drawn.crossings() as f32 + LENGTH * drawn.length())
}

/// A layout with its wires, as the canvas draws it.
pub(super) struct Drawing {
    pub(super) areas: Vec<Rect>,
    pub(super) wires: Vec<Ends>,
    pub(super) points: Vec<Vec<Pos2>>,
}

impl Drawing {
    pub(super) fn new(flow: &Flow, areas: Vec<Rect>) -> Drawing {
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
    pub(super) fn zoom(&self, frames: &[Rect]) -> f32 {
        let wires = self.points.iter().map(|points| Rect::from_points(points));
        let all = self.areas.iter().chain(frames).copied().chain(wires);
        let bounds = all.fold(Rect::NOTHING, Rect::union);
        (CANVAS / bounds.size()).min_elem().min(1.0)
    }

    /// The mean length of a wire, in widths of a node.
    pub(super) fn length(&self) -> f32 {
        let of = |points: &Vec<Pos2>| points.windows(2).map(|p| p[0].distance(p[1])).sum::<f32>();
        self.points.iter().map(of).sum::<f32>() / (self.points.len().max(1) as f32 * WIDTH)
    }

    /// Places where wires of different outputs cross. Wires of one output that run together cross another once.
    pub(super) fn crossings(&self) -> usize {
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
