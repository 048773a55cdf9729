//! The ways of wires around nodes. A wire between neighbours is a plain curve. One that would run behind a node, or that runs back,
//! follows the gaps between nodes; `search` finds its way, and `lanes` lays wires that share a gap beside each other.

mod geometry;
mod lanes;
mod search;
#[cfg(test)]
mod tests;
mod wire;

use eframe::egui::{Pos2, Rect};

pub(crate) use geometry::{crossing, curve, rounded, touches};
pub(crate) use search::Ground;
use wire::CLEAR;
#[cfg(test)]
pub(crate) use wire::LEAST;
pub(crate) use wire::{Ends, Route};

/// The longest plain curve, and the steepest \[points\].
const LONGEST: f32 = 300.0;

/// The routes of the wires of a level, searched again where something has moved.
#[derive(Debug, Default)]
pub(crate) struct Routing {
    nodes: Vec<Rect>,
    ground: Ground,
    wires: Vec<Ends>,
    routes: Vec<Route>,
    /// Some wires were routed without the others.
    partial: bool,
}

/// What a node or a port moves before wires are routed again \[points\]: text takes a little more or less room at each zoom.
const SLIGHT: f32 = 2.5;
/// With more wires, only those that nodes touch are routed while nodes move.
const MANY: usize = 200;

impl Routing {
    /// Brings the routes up to date. `moving`: nodes are being dragged.
    pub(crate) fn update(&mut self, nodes: Vec<Rect>, wires: Vec<Ends>, moving: bool) {
        let near = |a: Pos2, b: Pos2| (a - b).abs().max_elem() < SLIGHT;
        let same = |a: &Rect, b: &Rect| near(a.min, b.min) && near(a.max, b.max);
        let kept = |a: &Ends, b: &Ends| near(a.from, b.from) && near(a.to, b.to) && (a.net, a.next) == (b.net, b.next);
        let alike = self.nodes.len() == nodes.len() && self.wires.len() == wires.len();
        let still = alike
            && self.nodes.iter().zip(&nodes).all(|(a, b)| same(a, b))
            && self.wires.iter().zip(&wires).all(|(a, b)| kept(a, b));
        if still && (moving || !self.partial) {
            return;
        }
        self.ground = Ground::new(nodes.clone());
        self.partial = moving && alike && wires.len() > MANY;
        if self.partial {
            let moved: Vec<Rect> =
                self.nodes.iter().zip(&nodes).filter(|(a, b)| !same(a, b)).map(|(_, b)| *b).collect();
            let touched = |ends: &Ends, route: &Route| match route {
                Route::Curve => {
                    moved.iter().any(|node| Rect::from_two_pos(ends.from, ends.to).expand(CLEAR).intersects(*node))
                }
                Route::Path(path) => {
                    moved.iter().any(|node| path.windows(2).any(|p| touches(node.expand(CLEAR), p[0], p[1])))
                }
            };
            for ((now, before), route) in wires.iter().zip(&self.wires).zip(&mut self.routes) {
                if !kept(before, now) || touched(now, route) {
                    *route = one(&self.ground, now);
                }
            }
        } else {
            self.routes = routes(&self.ground, &wires);
        }
        (self.nodes, self.wires) = (nodes, wires);
    }

    /// The way of a wire that is not one of them.
    pub(crate) fn alone(&self, wire: &Ends) -> Route {
        one(&self.ground, wire)
    }

    pub(crate) fn routes(&self) -> &[Route] {
        &self.routes
    }
}

/// The ways of all wires around the nodes.
pub(crate) fn routes(ground: &Ground, wires: &[Ends]) -> Vec<Route> {
    let mut routes: Vec<Route> = wires.iter().map(|wire| one(ground, wire)).collect();
    lanes::spread(ground, wires, &mut routes);
    routes
}

/// The way of one wire, as if there were no others.
pub(crate) fn one(ground: &Ground, wire: &Ends) -> Route {
    if plain(ground, wire) {
        return Route::Curve;
    }
    ground.path(wire).map_or(Route::Curve, Route::Path)
}

/// Whether a plain curve touches no node.
fn plain(ground: &Ground, wire: &Ends) -> bool {
    let along = wire.to - wire.from;
    if along.x < 20.0 || (along.x > LONGEST && along.y.abs() > 0.1 * along.x) || along.y.abs() > 2.5 * along.x.max(60.0)
    {
        return false;
    }
    let points = curve(wire.from, wire.to, 1.0);
    ground.free(&points)
}
