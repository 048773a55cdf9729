//! Room for nodes: others move out of the way of one that was inserted into a wire or put upon them, and down where nodes grow. Frames grow
//! with the nodes in them.

use eframe::egui::{Rect, Vec2, vec2};

use super::flow::Flow;
use super::measures::{FRAME, GAP};

/// Nodes that share less than this do not cover each other \[points\].
const TOUCH: f32 = 2.0;

/// Places of all nodes with room for one that was inserted into a wire: it stands between the nodes that it is wired to, as high as
/// its wire, and others move to the right or down.
pub(crate) fn with_room(flow: &Flow, name: &str) -> Vec<Vec2> {
    let mut places = flow.at.clone();
    let Some(node) = flow.names.iter().position(|other| other == name) else { return places };
    let before = flow.hard().find(|wire| wire.to == node && wire.from != node);
    let after = flow.hard().find(|wire| wire.from == node && wire.to != node);
    let (Some(before), Some(after)) = (before, after) else { return places };
    let left = places[before.from].x + flow.sizes[before.from].x;
    let right = places[after.to].x;
    let wide = flow.sizes[node].x;
    let lack = wide + 2.0 * GAP.x - (right - left);
    let x = match right > left {
        true if lack <= 0.0 => left + 0.5 * (right - left - wide),
        _ => left + GAP.x,
    };
    if right > left && lack > 0.0 {
        (0..places.len())
            .filter(|other| *other != node && flow.at[*other].x >= right)
            .for_each(|other| places[other].x += lack);
    }
    places[node] = vec2(x, places[before.from].y + before.start - before.end);
    let mut order: Vec<usize> = (0..places.len()).filter(|other| *other != node).collect();
    order.sort_by(|a, b| places[*a].y.total_cmp(&places[*b].y));
    let area = |places: &[Vec2], node: usize| Rect::from_min_size(places[node].to_pos2(), flow.sizes[node]);
    let mut moved = vec![node];
    for other in order {
        let start = places[other].y;
        // What is in the way goes below, and so does what that would cover.
        let covering = |places: &[Vec2]| {
            let other_area = area(places, other).expand(0.5 * GAP.y);
            moved.iter().map(|above| area(places, *above)).find(|above| above.intersects(other_area))
        };
        while let Some(above) = covering(&places) {
            places[other].y = above.bottom() + GAP.y;
        }
        if places[other].y > start {
            moved.push(other);
        }
    }
    places
}

/// Areas of nodes without any that some of them, which were put there, cover: others move out of their way, each to the nearest free place
/// above, below or beside, and so do nodes that these would cover.
pub(crate) fn clear_of(areas: &[Rect], put: &[usize]) -> Vec<Rect> {
    let mut areas = areas.to_vec();
    let mut fixed = put.to_vec();
    let middle = put.iter().fold(Rect::NOTHING, |all, node| all.union(areas[*node])).center();
    let covers = |a: Rect, b: Rect| a.shrink(0.5 * TOUCH).intersects(b.shrink(0.5 * TOUCH));
    loop {
        let covered = |node: &usize| !fixed.contains(node) && fixed.iter().any(|by| covers(areas[*by], areas[*node]));
        let nearest = |a: &usize, b: &usize| {
            let distance = |node: usize| areas[node].center().distance_sq(middle);
            distance(*a).total_cmp(&distance(*b))
        };
        let Some(node) = (0..areas.len()).filter(covered).min_by(nearest) else { return areas };
        let original = areas[node];
        let moved = [Vec2::DOWN, Vec2::RIGHT, Vec2::UP, Vec2::LEFT].map(|way| {
            let mut area = original;
            // Each step passes one node, and none comes back.
            while let Some(by) =
                fixed.iter().map(|by| areas[*by].expand2(GAP - Vec2::splat(TOUCH))).find(|by| by.intersects(area))
            {
                let step = if way.x > 0.0 {
                    by.right() - area.left()
                } else if way.x < 0.0 {
                    area.right() - by.left()
                } else if way.y > 0.0 {
                    by.bottom() - area.top()
                } else {
                    area.bottom() - by.top()
                };
                area = area.translate(way * (step + TOUCH));
            }
            area
        });
        let far = |area: &Rect| area.min.distance(original.min);
        areas[node] = moved.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(original);
        fixed.push(node);
    }
}

/// Frames that hold the nodes which were in them before those moved.
pub(crate) fn enclosing(frames: &[Rect], before: &[Rect], after: &[Rect]) -> Vec<Rect> {
    let grown = |frame: &Rect| {
        let held = before.iter().zip(after).filter(|(was, is)| was != is && frame.contains(was.center()));
        held.fold(*frame, |area, (_, is)| area.union(is.expand2(FRAME)))
    };
    frames.iter().map(grown).collect()
}

/// What changes where nodes grow: how far down nodes and frames have to move so that nothing covers what was free before, and how much
/// higher frames get.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Growth {
    pub nodes: Vec<f32>,
    pub frames: Vec<f32>,
    pub higher: Vec<f32>,
}

/// The growth of a level whose nodes had the sizes `before` and have those of `after`, in the order of their places.
pub(crate) fn lowered(at: &[Vec2], before: &[Vec2], after: &[Vec2], frames: &[Rect]) -> Growth {
    let area = |node: usize| Rect::from_min_size(at[node].to_pos2(), before[node]);
    // The last frame lies on top.
    let of: Vec<Option<usize>> =
        (0..at.len()).map(|node| frames.iter().rposition(|frame| frame.contains(area(node).center()))).collect();
    let mut nodes = vec![0.0; at.len()];
    for frame in 0..frames.len() {
        let inside: Vec<usize> = (0..at.len()).filter(|node| of[*node] == Some(frame)).collect();
        let pick = |all: &[Vec2]| inside.iter().map(|node| all[*node]).collect::<Vec<_>>();
        let lowered = below(&pick(at), &pick(before), &pick(after));
        inside.iter().zip(lowered).for_each(|(node, by)| nodes[*node] = by);
    }
    let higher: Vec<f32> = frames
        .iter()
        .map(|frame| {
            let inside = (0..at.len()).filter(|node| frame.contains(area(*node).center()));
            let bottom = |node: usize| at[node].y + nodes[node] + after[node].y;
            let lack = |node: usize| bottom(node) + FRAME.y - frame.bottom();
            // One that reached out of the frame before still may.
            inside.map(|node| lack(node).min(bottom(node) - area(node).bottom())).fold(0.0, f32::max)
        })
        .collect();
    let outer: Vec<usize> = (0..at.len()).filter(|node| of[*node].is_none()).collect();
    let whole =
        |nodes: &[Vec2], frames: Vec<Vec2>| outer.iter().map(|node| nodes[*node]).chain(frames).collect::<Vec<_>>();
    let corners = frames.iter().map(|frame| frame.min.to_vec2()).collect();
    let sizes = frames.iter().map(Rect::size).collect();
    let grown = frames.iter().zip(&higher).map(|(frame, by)| frame.size() + vec2(0.0, *by)).collect();
    let mut all = below(&whole(at, corners), &whole(before, sizes), &whole(after, grown));
    let frames = all.split_off(outer.len());
    outer.iter().zip(all).for_each(|(node, by)| nodes[*node] = by);
    for (node, by) in nodes.iter_mut().enumerate() {
        *by += of[node].map_or(0.0, |frame| frames[frame]);
    }
    Growth { nodes, frames, higher }
}

/// How far down each node has to move if nodes grow, so that none covers another that was free before. Places and sizes are in the same
/// order.
fn below(at: &[Vec2], before: &[Vec2], after: &[Vec2]) -> Vec<f32> {
    let mut order: Vec<usize> = (0..at.len()).collect();
    order.sort_by(|a, b| at[*a].y.total_cmp(&at[*b].y));
    let mut lowered = vec![0.0f32; at.len()];
    for (index, node) in order.iter().enumerate() {
        for above in &order[..index] {
            let beside = at[*above].x + after[*above].x <= at[*node].x || at[*node].x + after[*node].x <= at[*above].x;
            let gap = at[*node].y - at[*above].y - before[*above].y;
            if !beside && gap >= 0.0 {
                let bottom = at[*above].y + lowered[*above] + after[*above].y;
                lowered[*node] = lowered[*node].max(bottom + gap.min(GAP.y) - at[*node].y);
            }
        }
    }
    lowered
}
