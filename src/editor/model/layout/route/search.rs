//! The shortest way between two ports along the gaps between nodes, with few corners: A* on the lines beside the nodes' edges.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use eframe::egui::{Pos2, Rect, Vec2, pos2};

use super::geometry::touches;
use super::wire::{CLEAR, Ends, LEAST};

/// How far from a node a line beside it lies, if there is no other node, and the widest gap that has its line in the middle
/// \[points\].
const BESIDE: f32 = 26.0;
const WIDEST: f32 = 160.0;
/// How far a wire runs straight out of a port \[points\].
const STUB: f32 = 14.0;
/// What a corner costs, as length \[points\].
const CORNER: u32 = 60;
/// Cost of running level with nodes, compared to a gap that runs through all of the graph: a little for any wire, and
/// more for one to the next frame, which runs around the nodes.
const INSIDE: f32 = 1.1;
const INSIDE_NEXT: f32 = 1.6;
/// A graph with more nodes is searched near a wire only, this far from it \[points\].
const MANY: usize = 150;
const NEAR: f32 = 500.0;

/// The nodes, and the lines between them that wires may follow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ground {
    nodes: Vec<Rect>,
    columns: Vec<Line>,
    rows: Vec<Line>,
}

/// A line across the graph, with the parts of it that nodes cover.
#[derive(Clone, Debug)]
struct Line {
    at: f32,
    covered: Vec<(f32, f32)>,
}

impl Line {
    fn free(&self, a: f32, b: f32) -> bool {
        let (low, high) = (a.min(b), a.max(b));
        !self.covered.iter().any(|(start, end)| *start < high && low < *end)
    }
}

impl Ground {
    pub(crate) fn new(nodes: Vec<Rect>) -> Ground {
        let mut ground = Ground { nodes, ..Ground::default() };
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        for node in &ground.nodes {
            xs.extend([
                node.left() - ground.line_distance(*node, Vec2::LEFT),
                node.right() + ground.line_distance(*node, Vec2::RIGHT),
            ]);
            ys.extend([
                node.top() - ground.line_distance(*node, Vec2::UP),
                node.bottom() + ground.line_distance(*node, Vec2::DOWN),
            ]);
        }
        let streets = ground.streets();
        ys.retain(|y| !streets.iter().any(|(low, high)| low <= y && y <= high));
        ys.extend(streets.iter().map(|(low, high)| 0.5 * (low + high)));
        ground.columns = distinct(xs).into_iter().map(|x| ground.column(x)).collect();
        ground.rows = distinct(ys).into_iter().map(|y| ground.row(y)).collect();
        ground
    }

    /// Heights without any node: above all, between rows, and below all.
    fn streets(&self) -> Vec<(f32, f32)> {
        let mut spans: Vec<(f32, f32)> =
            self.nodes.iter().map(|node| (node.top(), node.bottom())).filter(|span| span.0.is_finite()).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some((first, _)), Some(last)) = (spans.first(), spans.iter().map(|span| span.1).max_by(f32::total_cmp))
        else {
            return Vec::new();
        };
        let mut streets = vec![(first - 2.0 * BESIDE, *first), (last, last + 2.0 * BESIDE)];
        let mut low = *first;
        for (top, bottom) in spans {
            if top > low + 2.0 * CLEAR {
                streets.push((low, top));
            }
            low = low.max(bottom);
        }
        streets
    }

    /// How far from an edge of a node its line lies: in the middle of a gap.
    fn line_distance(&self, node: Rect, side: Vec2) -> f32 {
        let reach = WIDEST;
        let area = if side.x < 0.0 {
            Rect::from_x_y_ranges(node.left() - reach..=node.left(), node.y_range())
        } else if side.x > 0.0 {
            Rect::from_x_y_ranges(node.right()..=node.right() + reach, node.y_range())
        } else if side.y < 0.0 {
            Rect::from_x_y_ranges(node.x_range(), node.top() - reach..=node.top())
        } else {
            Rect::from_x_y_ranges(node.x_range(), node.bottom()..=node.bottom() + reach)
        };
        let others = self.nodes.iter().filter(|other| other.shrink(0.5).intersects(area) && **other != node);
        let gap = |other: &Rect| {
            if side.x < 0.0 {
                node.left() - other.right()
            } else if side.x > 0.0 {
                other.left() - node.right()
            } else if side.y < 0.0 {
                node.top() - other.bottom()
            } else {
                other.top() - node.bottom()
            }
        };
        let gap = others.map(gap).filter(|gap| *gap > 2.0 * CLEAR).min_by(f32::total_cmp);
        gap.map_or(BESIDE, |gap| 0.5 * gap)
    }

    fn column(&self, x: f32) -> Line {
        let over = self.nodes.iter().map(|node| node.expand(CLEAR)).filter(|node| node.left() < x && x < node.right());
        Line { at: x, covered: over.map(|node| (node.top(), node.bottom())).collect() }
    }

    fn row(&self, y: f32) -> Line {
        let over = self.nodes.iter().map(|node| node.expand(CLEAR)).filter(|node| node.top() < y && y < node.bottom());
        Line { at: y, covered: over.map(|node| (node.left(), node.right())).collect() }
    }

    /// Whether no node lies on these points. A node at an end may be touched.
    pub(crate) fn free(&self, points: &[Pos2]) -> bool {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return true };
        let bounds = Rect::from_points(points).expand(CLEAR);
        self.nodes.iter().filter(|node| node.intersects(bounds)).all(|node| {
            let is_end = [first, last].iter().any(|end| node.expand(1.5).contains(**end));
            let area = if is_end { node.shrink(2.0) } else { node.expand(LEAST) };
            !points.windows(2).any(|pair| touches(area, pair[0], pair[1]))
        })
    }

    /// How far a piece from `a` to `b` can be moved across itself until it meets a node: coordinates between which it is free.
    pub(crate) fn slack(&self, a: Pos2, b: Pos2) -> (f32, f32) {
        let upright = a.x == b.x;
        let (low, high) = if upright { (a.y.min(b.y), a.y.max(b.y)) } else { (a.x.min(b.x), a.x.max(b.x)) };
        let at = if upright { a.x } else { a.y };
        let (mut from, mut to) = (at - 2.0 * BESIDE, at + 2.0 * BESIDE);
        for node in &self.nodes {
            let (along, across) =
                if upright { (node.y_range(), node.x_range()) } else { (node.x_range(), node.y_range()) };
            if along.min - CLEAR < high && low < along.max + CLEAR {
                if across.max <= at {
                    from = from.max(across.max + LEAST);
                } else if across.min >= at {
                    to = to.min(across.min - LEAST);
                }
            }
        }
        (from.min(at), to.max(at))
    }

    /// The best path of a wire, or `None` if nodes leave none.
    pub(crate) fn path(&self, wire: &Ends) -> Option<Vec<Pos2>> {
        let (start, goal) = (pos2(wire.from.x + STUB, wire.from.y), pos2(wire.to.x - STUB, wire.to.y));
        let reach = if self.nodes.len() > MANY { NEAR } else { f32::INFINITY };
        let area = Rect::from_two_pos(start, goal).expand(reach);
        let mut xs: Vec<Line> = self.columns.iter().filter(|line| area.x_range().contains(line.at)).cloned().collect();
        let mut ys: Vec<Line> = self.rows.iter().filter(|line| area.y_range().contains(line.at)).cloned().collect();
        xs.extend([start.x, goal.x].map(|x| self.column(x)));
        ys.extend([start.y, goal.y].map(|y| self.row(y)));
        for lines in [&mut xs, &mut ys] {
            lines.sort_by(|a, b| a.at.total_cmp(&b.at));
            lines.dedup_by(|a, b| a.at == b.at);
        }
        let find = |lines: &[Line], at: f32| lines.iter().position(|line| line.at == at);
        let grid = Grid {
            start: (find(&xs, start.x)?, find(&ys, start.y)?),
            goal: (find(&xs, goal.x)?, find(&ys, goal.y)?),
            next: wire.next,
            xs,
            ys,
        };
        let mut path = grid.search()?;
        path.insert(0, wire.from);
        path.push(wire.to);
        Some(straight(path))
    }
}

/// Lines that a wire may follow, and its ends on them.
struct Grid {
    xs: Vec<Line>,
    ys: Vec<Line>,
    start: (usize, usize),
    goal: (usize, usize),
    next: bool,
}

impl Grid {
    /// A* over crossings of lines and the direction of arrival. Costs are whole tenths of points, so that sums are exact.
    fn search(&self) -> Option<Vec<Pos2>> {
        let (wide, high) = (self.xs.len(), self.ys.len());
        let index = |(x, y): (usize, usize), upright: bool| 2 * (y * wide + x) + usize::from(upright);
        let mut cost = vec![u32::MAX; 2 * wide * high];
        let mut from = vec![usize::MAX; 2 * wide * high];
        let mut open = BinaryHeap::new();
        let first = index(self.start, false);
        cost[first] = 0;
        open.push(Reverse((self.rest(self.start), 0, first)));
        while let Some(Reverse((_, spent, at))) = open.pop() {
            if spent > cost[at] {
                continue;
            }
            let (upright, place) = (at % 2 == 1, ((at / 2) % wide, (at / 2) / wide));
            if place == self.goal && !upright {
                return Some(self.back(&from, at));
            }
            for (step, turned) in [((1, 0), false), ((-1, 0), false), ((0, 1), true), ((0, -1), true)] {
                let Some(to) = moved(place, step, (wide, high)) else { continue };
                let Some(length) = self.piece(place, to) else { continue };
                let total = spent + length + if turned == upright { 0 } else { 10 * CORNER };
                let next = index(to, turned);
                if total < cost[next] {
                    cost[next] = total;
                    from[next] = at;
                    open.push(Reverse((total + self.rest(to), total, next)));
                }
            }
        }
        None
    }

    /// The least that remains.
    fn rest(&self, (x, y): (usize, usize)) -> u32 {
        let across = (self.xs[x].at - self.xs[self.goal.0].at).abs();
        let along = (self.ys[y].at - self.ys[self.goal.1].at).abs();
        (10.0 * (across + along)) as u32
    }

    /// What a piece between two neighbouring crossings costs, if no node covers it.
    fn piece(&self, a: (usize, usize), b: (usize, usize)) -> Option<u32> {
        if a.1 == b.1 {
            let row = &self.ys[a.1];
            let (from, to) = (self.xs[a.0].at, self.xs[b.0].at);
            let factor = match row.covered.is_empty() {
                true => 1.0,
                false => {
                    if self.next {
                        INSIDE_NEXT
                    } else {
                        INSIDE
                    }
                }
            };
            return row.free(from, to).then(|| (10.0 * factor * (to - from).abs()) as u32);
        }
        let column = &self.xs[a.0];
        let (from, to) = (self.ys[a.1].at, self.ys[b.1].at);
        column.free(from, to).then(|| (10.0 * (to - from).abs()) as u32)
    }

    fn back(&self, from: &[usize], mut at: usize) -> Vec<Pos2> {
        let wide = self.xs.len();
        let mut path = Vec::new();
        while at != usize::MAX {
            path.push(pos2(self.xs[(at / 2) % wide].at, self.ys[(at / 2) / wide].at));
            at = from[at];
        }
        path.reverse();
        path
    }
}

fn moved((x, y): (usize, usize), (dx, dy): (isize, isize), (wide, high): (usize, usize)) -> Option<(usize, usize)> {
    let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
    (x < wide && y < high).then_some((x, y))
}

/// Coordinates in order, without those that are nearly the same.
fn distinct(mut values: Vec<f32>) -> Vec<f32> {
    values.retain(|value| value.is_finite());
    values.sort_by(f32::total_cmp);
    values.dedup_by(|a, b| (*a - *b).abs() < 2.0);
    values
}

/// A path without points inside straight pieces.
fn straight(path: Vec<Pos2>) -> Vec<Pos2> {
    let mut result: Vec<Pos2> = Vec::new();
    for point in path {
        if let [.., a, b] = result.as_slice()
            && ((a.x == b.x && b.x == point.x) || (a.y == b.y && b.y == point.y))
        {
            result.pop();
        }
        if result.last() != Some(&point) {
            result.push(point);
        }
    }
    result
}
