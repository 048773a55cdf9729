//! Layout with frames: first the inside of every frame, then the frames and the nodes outside of them as blocks. A frame has several
//! layouts of different width and height, and those are taken that fill the canvas best together.

use std::collections::BTreeMap;

use eframe::egui::{Rect, Vec2, vec2};

use super::flow::{Flow, Wire};
use super::layered::{self, SHARES, broken, first_output, layered, tried};
use super::measures::{CANVAS, FRAME, FRAME_TITLE, ROW_GAP};
use super::places::{self, Rows};
use super::score::{CROSSING, Drawing, LENGTH, kept, score};

/// Shapes of canvas that the inside of a frame is laid out for: width and height, as shares of the canvas.
const SHAPES: &[Vec2] = &[vec2(2.0, 0.25), vec2(1.0, 0.5), vec2(1.0, 1.0), vec2(0.5, 1.0), vec2(0.25, 2.0)];
/// Layouts that are kept of each frame.
const KEPT: usize = 8;
/// Choices of layouts from which better ones are searched.
const STARTS: usize = 8;
/// Layouts of the whole that are compared with their wires.
const COMPARED: usize = 60;
/// Heights of columns of blocks that are tried: with the last one, each block has a column of its own.
const COLUMNS: &[f32] = &[1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.0];

/// What a wire costs that leads back to the left inside a frame, as a share.
const BACKWARDS: f32 = 0.06;
/// Cost of frames of which none comes after the one before it, as a share.
const DISORDER: f32 = 0.6;

/// A layout of the inside of a frame.
#[derive(Clone)]
struct Inside {
    places: Vec<Vec2>,
    /// Size of the frame.
    size: Vec2,
    /// What its crossings and the lengths of its wires leave of 1.
    worth: f32,
}

/// A layout of everything: the chosen inside of each frame, and the blocks in columns and rows.
struct Whole {
    chosen: Vec<usize>,
    columns: Vec<Vec<usize>>,
    rows: Rows,
    /// Without wires between frames.
    worth: f32,
}

/// A place for every node of a flow \[points\], from left to right in rows that fill the canvas. What lies in a frame stays together;
/// frames are returned at their new places.
pub(crate) fn arranged(flow: &Flow, frames: &[Rect]) -> (Vec<Vec2>, Vec<Rect>) {
    arranged_as(flow, frames, &members(flow, frames))
}

/// The frame that each node lies in.
pub(super) fn members(flow: &Flow, frames: &[Rect]) -> Vec<Option<usize>> {
    // The last frame lies on top.
    let frame_of = |area: &Rect| frames.iter().rposition(|frame| frame.contains(area.center()));
    flow.areas().iter().map(frame_of).collect()
}

/// Positions of all nodes and rectangles of the frames. `of` has the frame of each node.
pub(super) fn arranged_as(flow: &Flow, frames: &[Rect], of: &[Option<usize>]) -> (Vec<Vec2>, Vec<Rect>) {
    // Frames without nodes stay.
    let used: Vec<usize> = (0..frames.len()).filter(|frame| of.contains(&Some(*frame))).collect();
    if used.is_empty() {
        return (layered(flow), frames.to_vec());
    }
    let blocks = Blocks::new(flow, frames, of, &used);
    let mut best: Option<(f32, Vec<Vec2>, Vec<Rect>)> = None;
    for whole in blocks.wholes() {
        let (places, areas) = blocks.placed(&whole);
        let bounds = areas.iter().fold(Rect::NOTHING, |all, area| all.union(*area));
        // The larger a graph is, the more its size counts beside its crossings: its text gets hard to read.
        let zoom = (CANVAS / bounds.size()).min_elem().min(1.0);
        let kept = 1.0 + layered::KEPT * kept(flow, &places);
        let score = zoom * zoom * kept * score(flow, &places, &areas) / (1.0 + DISORDER * disorder(&areas));
        if best.as_ref().is_none_or(|(most, ..)| score > *most) {
            best = Some((score, places, areas));
        }
    }
    let Some((_, places, areas)) = best else { return (flow.at.clone(), frames.to_vec()) };
    let moved = |frame: usize| used.iter().position(|other| *other == frame).and_then(|block| areas.get(block));
    (places, (0..frames.len()).map(|frame| moved(frame).copied().unwrap_or(frames[frame])).collect())
}

/// A level in blocks: its frames, then the nodes outside of frames.
struct Blocks<'a> {
    flow: &'a Flow,
    /// The nodes of each frame, and their layouts.
    nodes: Vec<Vec<usize>>,
    insides: Vec<Vec<Inside>>,
    outer: Vec<usize>,
    /// The block of each node, and its number in it.
    block: Vec<(usize, usize)>,
    /// Where the frames are now.
    at: Vec<Vec2>,
}

impl<'a> Blocks<'a> {
    fn new(flow: &'a Flow, frames: &[Rect], of: &[Option<usize>], used: &[usize]) -> Blocks<'a> {
        let within = |frame: &usize| (0..of.len()).filter(|node| of[*node] == Some(*frame)).collect::<Vec<_>>();
        let nodes: Vec<Vec<usize>> = used.iter().map(within).collect();
        let outer: Vec<usize> = (0..of.len()).filter(|node| of[*node].is_none()).collect();
        let mut block = vec![(0, 0); of.len()];
        for (index, node) in outer.iter().enumerate() {
            block[*node] = (nodes.len() + index, 0);
        }
        for (index, nodes) in nodes.iter().enumerate() {
            nodes.iter().enumerate().for_each(|(number, node)| block[*node] = (index, number));
        }
        let insides = nodes.iter().map(|nodes| insides(&flow.part(nodes))).collect();
        let at = used.iter().map(|frame| frames[*frame].min.to_vec2()).collect();
        Blocks { flow, nodes, insides, outer, block, at }
    }

    /// The blocks as nodes of a flow.
    fn outside(&self, chosen: &[usize]) -> Flow {
        let mut whole = self.flow.part(&self.outer);
        let sizes = chosen.iter().zip(&self.insides).map(|(inside, insides)| insides[*inside].size);
        whole.sizes = sizes.chain(whole.sizes).collect();
        whole.at = self.at.iter().copied().chain(whole.at).collect();
        whole.names = self.nodes.iter().map(|_| String::new()).chain(whole.names).collect();
        whole.outputs.iter_mut().for_each(|node| *node += self.nodes.len());
        let end = |node: usize, height: f32| {
            let (block, number) = self.block[node];
            let inside = chosen.get(block).map(|inside| self.insides[block][*inside].places[number].y);
            (block, height + inside.unwrap_or(0.0))
        };
        let wires = self.flow.wires.iter().filter_map(|wire| {
            let ((from, start), (to, last)) = (end(wire.from, wire.start), end(wire.to, wire.end));
            (from != to).then(|| Wire { from, to, start, end: last, ..wire.clone() })
        });
        whole.wires = wires.collect();
        whole
    }

    /// The layouts that show nodes largest.
    fn wholes(&self) -> Vec<Whole> {
        let mut found: Vec<Whole> = Vec::new();
        let mut seen = BTreeMap::new();
        let mut heights: Vec<f32> = self.insides.iter().flatten().map(|inside| inside.size.y).collect();
        heights.sort_by(f32::total_cmp);
        heights.dedup_by(|a, b| (*a - *b).abs() < 20.0);
        for height in heights {
            self.add(self.as_high(height), &mut seen, &mut found);
        }
        // From the best ones, one frame after the other gets another shape.
        let mut starts: Vec<Vec<usize>> = Vec::new();
        for whole in &found {
            if starts.len() < STARTS && !starts.contains(&whole.chosen) {
                starts.push(whole.chosen.clone());
            }
        }
        for mut chosen in starts {
            let mut most = 0.0;
            for frame in 0..chosen.len() {
                let now = chosen.clone();
                for inside in 0..self.insides[frame].len() {
                    let other = now.iter().enumerate().map(|(f, now)| if f == frame { inside } else { *now });
                    let other: Vec<usize> = other.collect();
                    let worth = self.add(other.clone(), &mut seen, &mut found);
                    if worth > most {
                        (most, chosen) = (worth, other);
                    }
                }
            }
        }
        found
    }

    /// Index of a layout for each frame: the narrowest one that is not higher than `height`, or else the lowest.
    fn as_high(&self, height: f32) -> Vec<usize> {
        let of = |insides: &Vec<Inside>| {
            let key = |inside: &Inside| {
                (inside.size.y > height, if inside.size.y > height { inside.size.y } else { inside.size.x })
            };
            let order = |a: &usize, b: &usize| {
                let (a, b) = (key(&insides[*a]), key(&insides[*b]));
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
            };
            (0..insides.len()).min_by(order).unwrap_or(0)
        };
        self.insides.iter().map(of).collect()
    }

    /// Adds the layouts of the whole with these insides, the best first. Returns the worth of the best of them.
    fn add(&self, chosen: Vec<usize>, seen: &mut BTreeMap<Vec<usize>, f32>, found: &mut Vec<Whole>) -> f32 {
        if let Some(worth) = seen.get(&chosen) {
            return *worth;
        }
        let mut most = 0.0f32;
        let outside = self.outside(&chosen);
        let inner: f32 = chosen.iter().zip(&self.insides).map(|(inside, insides)| insides[*inside].worth).product();
        // As a strip, too: each frame on the right of the one before it.
        let mut strip = outside.clone();
        strip.wires.extend((1..chosen.len()).map(|to| Wire {
            from: to - 1,
            to,
            net: usize::MAX - to,
            ..Wire::default()
        }));
        let free = broken(&outside, COLUMNS, CANVAS);
        for (columns, rows) in free.into_iter().chain(broken(&strip, &COLUMNS[..1], CANVAS)) {
            let mut at = vec![(0, 0); outside.sizes.len()];
            for (column, nodes) in columns.iter().enumerate() {
                nodes.iter().for_each(|node| at[*node] = (rows.row_of(column), column));
            }
            let pairs = || (0..chosen.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let disorder = share(pairs(), |(a, b)| at[*b] < at[*a]);
            let zoom = (CANVAS / places::size(&outside, &columns, &rows)).min_elem();
            let worth = zoom * inner / (1.0 + DISORDER * disorder);
            most = most.max(worth);
            found.push(Whole { chosen: chosen.clone(), columns, rows, worth });
        }
        found.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        found.truncate(COMPARED);
        seen.insert(chosen, most);
        most
    }

    /// The places of all nodes, and the areas of the frames. What the View shows is on top, as before.
    fn placed(&self, whole: &Whole) -> (Vec<Vec2>, Vec<Rect>) {
        let outside = self.outside(&whole.chosen);
        let mut corners = places::places(&outside, &whole.columns, &whole.rows);
        let inside = |block: usize| whole.chosen.get(block).map(|inside| &self.insides[block][*inside]);
        let places = |corners: &[Vec2]| {
            let place = |(block, number): &(usize, usize)| {
                corners[*block] + inside(*block).map_or(Vec2::ZERO, |inside| inside.places[*number])
            };
            self.block.iter().map(place).collect::<Vec<Vec2>>()
        };
        let first = first_output(self.flow, &self.flow.at);
        if let Some(output) = first.filter(|_| first_output(self.flow, &places(&corners)) != first) {
            let block = self.block[output].0;
            let top = corners.iter().map(|at| at.y).fold(f32::INFINITY, f32::min);
            corners[block].y = top - ROW_GAP - outside.sizes[block].y;
        }
        let frames = corners.iter().zip(&outside.sizes).take(self.nodes.len());
        (places(&corners), frames.map(|(at, size)| Rect::from_min_size(at.to_pos2(), *size)).collect())
    }
}

/// Layouts of the inside of a frame, the best first. None is wider, higher and worse than another.
fn insides(flow: &Flow) -> Vec<Inside> {
    let mut found: Vec<Inside> = Vec::new();
    for shape in SHAPES {
        for mut places in tried(flow, SHARES, CANVAS * *shape) {
            let corner = places.iter().fold(Vec2::INFINITY, |least, at| least.min(*at));
            places.iter_mut().for_each(|at| *at += FRAME + vec2(0.0, FRAME_TITLE) - corner);
            if found.iter().any(|other| other.places == places) {
                continue;
            }
            let size = extent(&places, &flow.sizes) + FRAME;
            let areas = places.iter().zip(&flow.sizes).map(|(at, size)| Rect::from_min_size(at.to_pos2(), *size));
            let drawn = Drawing::new(flow, areas.collect());
            let back = |wire: &&Wire| !wire.next && places[wire.to].x < places[wire.from].x + flow.sizes[wire.from].x;
            let back = BACKWARDS * flow.hard().filter(back).count() as f32;
            let worth = 1.0 / (1.0 + CROSSING * drawn.crossings() as f32 + LENGTH * drawn.length() + back);
            found.push(Inside { places, size, worth });
        }
    }
    found.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    let mut kept: Vec<Inside> = Vec::new();
    for inside in found {
        if !kept.iter().any(|better| better.size.x <= inside.size.x && better.size.y <= inside.size.y) {
            kept.push(inside);
        }
    }
    kept.truncate(KEPT);
    kept
}

/// The share of pairs of frames of which the second is read before the first: it is above, or on the left in the same row.
fn disorder(areas: &[Rect]) -> f32 {
    let pairs = (0..areas.len()).flat_map(|b| (0..b).map(move |a| (areas[a], areas[b])));
    share(pairs, |(a, b)| b.bottom() <= a.top() || (b.right() <= a.left() && b.top() < a.bottom()))
}

/// The share of some for which this is true.
fn share<T>(all: impl Iterator<Item = T>, is: impl Fn(&T) -> bool) -> f32 {
    let (some, count) = all.fold((0, 0), |(some, count), one| (some + u32::from(is(&one)), count + 1));
    some as f32 / count.max(1) as f32
}

/// The lower right corner of areas.
fn extent(places: &[Vec2], sizes: &[Vec2]) -> Vec2 {
    places.iter().zip(sizes).fold(Vec2::ZERO, |extent, (at, size)| extent.max(*at + *size))
}
