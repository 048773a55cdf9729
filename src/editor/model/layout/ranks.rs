//! First phase: the column of every node.

use super::flow::Flow;
use super::measures::GAP;

/// Times that nodes are moved towards their neighbours.
const SWEEPS: usize = 6;

/// The column of every node, counted from 0: nodes stand to the right of what they read in the same frame. No column gets higher than
/// `tallest` \[points\] if nodes can go to a later one instead.
pub(super) fn ranks(flow: &Flow, tallest: f32) -> Vec<usize> {
    let edges = forward(flow);
    let order = topological(flow.sizes.len(), &edges);
    let (mut before, mut after) = (vec![Vec::new(); order.len()], vec![Vec::new(); order.len()]);
    for (from, to) in &edges {
        after[*from].push(*to);
        before[*to].push(*from);
    }
    let mut ranks = vec![0; order.len()];
    for node in &order {
        ranks[*node] = before[*node].iter().map(|from| ranks[*from] + 1).max().unwrap_or(0);
    }
    for _ in 0..SWEEPS {
        tighten(&order, &before, &after, &mut ranks);
    }
    spill(flow, &order, &before, tallest, &mut ranks);
    // With later columns some nodes have room to come nearer to their readers.
    let mut tightened = ranks.clone();
    tighten(&order, &before, &after, &mut tightened);
    if highest(flow, &tightened) <= highest(flow, &ranks).max(tallest) {
        ranks = tightened;
    }
    compact(ranks)
}

/// Wires that order nodes: those of this frame, without those that close a cycle.
fn forward(flow: &Flow) -> Vec<(usize, usize)> {
    let mut edges: Vec<(usize, usize)> =
        flow.wires.iter().filter(|wire| !wire.next && wire.from != wire.to).map(|wire| (wire.from, wire.to)).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut after = vec![Vec::new(); flow.sizes.len()];
    edges.iter().for_each(|(from, to)| after[*from].push(*to));
    // Depth first: an edge to a node that is being visited closes a cycle.
    let (mut state, mut kept) = (vec![0u8; after.len()], Vec::new());
    for root in 0..after.len() {
        let mut stack = vec![(root, 0)];
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        while let Some((node, next)) = stack.pop() {
            let Some(to) = after[node].get(next).copied() else {
                state[node] = 2;
                continue;
            };
            stack.push((node, next + 1));
            if state[to] != 1 {
                kept.push((node, to));
            }
            if state[to] == 0 {
                state[to] = 1;
                stack.push((to, 0));
            }
        }
    }
    kept
}

fn topological(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let (mut waits, mut after) = (vec![0; count], vec![Vec::new(); count]);
    for (from, to) in edges {
        waits[*to] += 1;
        after[*from].push(*to);
    }
    let mut order: Vec<usize> = (0..count).filter(|node| waits[*node] == 0).collect();
    let mut done = 0;
    while let Some(node) = order.get(done).copied() {
        done += 1;
        for to in &after[node] {
            waits[*to] -= 1;
            if waits[*to] == 0 {
                order.push(*to);
            }
        }
    }
    order
}

/// Moves each node, within the columns that its wires allow, to where they are shortest in sum.
fn tighten(order: &[usize], before: &[Vec<usize>], after: &[Vec<usize>], ranks: &mut [usize]) {
    for node in order.iter().rev() {
        let low = before[*node].iter().map(|from| ranks[*from] + 1).max().unwrap_or(0);
        let Some(high) = after[*node].iter().map(|to| ranks[*to].saturating_sub(1)).min() else { continue };
        if after[*node].len() > before[*node].len() && high > ranks[*node] {
            ranks[*node] = high;
        } else if after[*node].len() < before[*node].len() && low < ranks[*node] {
            ranks[*node] = low;
        }
    }
}

/// Moves nodes of columns that are too high to later ones (Coffman and Graham 1972).
fn spill(flow: &Flow, order: &[usize], before: &[Vec<usize>], tallest: f32, ranks: &mut [usize]) {
    let mut order = order.to_vec();
    order.sort_by_key(|node| ranks[*node]);
    let mut heights: Vec<f32> = Vec::new();
    for node in order {
        let low = before[node].iter().map(|from| ranks[*from] + 1).max().unwrap_or(0).max(ranks[node]);
        let height = flow.sizes[node].y + GAP.y;
        let mut rank = low;
        while heights.get(rank).is_some_and(|rank_height| *rank_height > 0.0 && rank_height + height > tallest) {
            rank += 1;
        }
        if heights.len() <= rank {
            heights.resize(rank + 1, 0.0);
        }
        heights[rank] += height;
        ranks[node] = rank;
    }
}

fn highest(flow: &Flow, ranks: &[usize]) -> f32 {
    let mut heights = vec![0.0f32; ranks.iter().max().map_or(0, |last| last + 1)];
    ranks.iter().zip(&flow.sizes).for_each(|(rank, size)| heights[*rank] += size.y + GAP.y);
    heights.into_iter().fold(0.0, f32::max)
}

/// Without empty columns.
fn compact(mut ranks: Vec<usize>) -> Vec<usize> {
    let mut used: Vec<usize> = ranks.clone();
    used.sort_unstable();
    used.dedup();
    for rank in &mut ranks {
        *rank = used.partition_point(|other| *other < *rank);
    }
    ranks
}
