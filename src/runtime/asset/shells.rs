//! Orientation of faces. Winding numbers require that faces point outwards, which files do not always do.
//!
//! Faces that share an edge are given a consistent orientation; such a shell keeps the side that most of its area had.
//! Then shells that are closed, or nearly closed, are turned outwards by the sign of their volume. A shell inside
//! another one keeps its orientation relative to that one, which distinguishes a cavity from a solid part. Shells with
//! large openings are not changed.

use std::ops::Range;

use glam::DVec3;

use super::tree::bounds;
use super::triangle::{area_vector, corners, turn};
use super::{Cause, Work};

/// A shell is nearly closed if the sum of its area vectors is below this share of its area; for a closed shell the sum
/// is zero.
const NEARLY: f64 = 0.2;
/// Limit of the work to determine which shell lies inside which, in solid angles: about a second.
const NESTING_WORK: usize = 50_000_000;

/// Edges that an odd number of faces share: the boundaries of holes.
pub(super) struct Seams {
    /// Edges that an odd number of faces share: the rims of holes.
    pub open: usize,
    /// Every edge is traversed equally often in both directions, so winding numbers are integers.
    pub closed: bool,
}

/// A side of a triangle.
#[derive(Clone, Copy)]
struct Side {
    /// End points of the side, the lower index first.
    edge: [u32; 2],
    triangle: u32,
    /// Number of the side, from 0.
    number: u8,
    /// Whether it goes from the lower index to the higher.
    forward: bool,
}

/// A closed or nearly closed shell.
struct Shell {
    /// Range of the shell in the list of triangles.
    range: Range<usize>,
    min: DVec3,
    max: DVec3,
    /// Signed; positive if the faces point outwards.
    volume: f64,
    turned: bool,
}

/// Orients triangles, whose three corners must be different points.
///
/// # Errors
/// Cancelling.
pub(super) fn orient(points: &[DVec3], triangles: &mut [[u32; 3]], work: &Work) -> Result<Seams, Cause> {
    let sides = sides(triangles);
    work.go_on(0)?;
    let (order, ranges) = agree(&sides, points, triangles);
    let mut shells: Vec<Shell> = ranges.into_iter().filter_map(|r| shell(points, triangles, &order, r)).collect();
    work.go_on(0)?;
    turn_outwards(points, triangles, &order, &mut shells);
    work.go_on(0)?;
    for shell in shells.iter().filter(|shell| shell.turned) {
        for triangle in order.get(shell.range.clone()).unwrap_or_default() {
            swap(triangles, *triangle);
        }
    }
    Ok(seams(&self::sides(triangles)))
}

fn swap(triangles: &mut [[u32; 3]], index: u32) {
    if let Some(triangle) = triangles.get_mut(index as usize) {
        triangle.swap(1, 2);
    }
}

/// All sides, sorted so that those of the same edge are adjacent.
fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (index, [a, b, c]) in triangles.iter().enumerate() {
        for (number, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            let edge = [*from.min(to), *from.max(to)];
            sides.push(Side { edge, triangle: index as u32, number: number as u8, forward: from < to });
        }
    }
    sides.sort_unstable_by_key(|side| (side.edge, side.triangle));
    sides
}

fn seams(sides: &[Side]) -> Seams {
    let mut seams = Seams { open: 0, closed: true };
    for edge in sides.chunk_by(|s, t| s.edge == t.edge) {
        seams.open += edge.len() % 2;
        seams.closed &= 2 * edge.iter().filter(|side| side.forward).count() == edge.len();
    }
    seams
}

/// Gives neighbours a consistent orientation. Returns the triangles shell by shell. Edges of three or more faces
/// separate shells.
fn agree(sides: &[Side], points: &[DVec3], triangles: &mut [[u32; 3]]) -> (Vec<u32>, Vec<Range<usize>>) {
    // Across each side: the neighbour, and whether one of the two must be turned.
    let mut across = vec![[None; 3]; triangles.len()];
    for edge in sides.chunk_by(|s, t| s.edge == t.edge) {
        let [s, t] = edge else { continue };
        for (side, opposite) in [(s, t), (t, s)] {
            if let Some(slot) = across.get_mut(side.triangle as usize).and_then(|a| a.get_mut(side.number as usize)) {
                *slot = Some((opposite.triangle, s.forward == t.forward));
            }
        }
    }
    let mut turned: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut order: Vec<u32> = Vec::with_capacity(triangles.len());
    let mut ranges = Vec::new();
    for seed in 0..triangles.len() as u32 {
        let start = order.len();
        visit(seed, false, &mut turned, &mut order);
        let mut next = start;
        while let Some(triangle) = order.get(next).copied() {
            next += 1;
            let is_turned = turned.get(triangle as usize).copied().flatten().unwrap_or(false);
            for (other, must_turn) in across.get(triangle as usize).into_iter().flatten().flatten() {
                visit(*other, is_turned ^ must_turn, &mut turned, &mut order);
            }
        }
        let shell = order.get(start..).unwrap_or_default();
        if shell.is_empty() {
            continue;
        }
        // The orientation of the first triangle is arbitrary, so the larger area decides.
        let is_turned = |t: u32| turned.get(t as usize).copied().flatten() == Some(true);
        let area = |t: u32| triangles.get(t as usize).map_or(0.0, |t| area_vector(corners(points, t)).length());
        let vote: f64 = shell.iter().map(|t| if is_turned(*t) { area(*t) } else { -area(*t) }).sum();
        for t in shell.iter().filter(|t| is_turned(**t) != (vote > 0.0)) {
            swap(triangles, *t);
        }
        ranges.push(start..order.len());
    }
    (order, ranges)
}

fn visit(triangle: u32, turn: bool, turned: &mut [Option<bool>], order: &mut Vec<u32>) {
    if let Some(slot @ None) = turned.get_mut(triangle as usize) {
        *slot = Some(turn);
        order.push(triangle);
    }
}

/// The shell of some triangles, if its volume is meaningful.
fn shell(points: &[DVec3], triangles: &[[u32; 3]], order: &[u32], range: Range<usize>) -> Option<Shell> {
    let faces = || faces(points, triangles, order, &range);
    let (min, max) = bounds(faces().flatten());
    let middle = (min + max) / 2.0;
    let mut sum = DVec3::ZERO;
    let mut area = 0.0;
    let mut volume = 0.0;
    for face in faces() {
        let normal = area_vector(face);
        sum += normal;
        area += normal.length();
        volume += normal.dot(face[0] - middle) / 3.0;
    }
    (sum.length() < NEARLY * area).then_some(Shell { range, min, max, volume, turned: false })
}

fn faces<'a>(
    points: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    order: &'a [u32],
    range: &Range<usize>,
) -> impl Iterator<Item = [DVec3; 3]> + 'a {
    let shell = order.get(range.clone()).unwrap_or_default();
    shell.iter().filter_map(|t| triangles.get(*t as usize)).map(|t| corners(points, t))
}

/// Decides which shells to turn, outer ones first.
fn turn_outwards(points: &[DVec3], triangles: &[[u32; 3]], order: &[u32], shells: &mut [Shell]) {
    shells.sort_by(|s, t| t.volume.abs().total_cmp(&s.volume.abs()).then(s.range.start.cmp(&t.range.start)));
    let mut work = 0;
    for index in 0..shells.len() {
        let (outer, rest) = shells.split_at_mut(index);
        let Some(shell) = rest.first_mut() else { continue };
        let Some([point, ..]) = faces(points, triangles, order, &shell.range).next() else { continue };
        // The smallest shell that contains it.
        let around = outer.iter().rev().find(|outer| {
            work += 1;
            if work > NESTING_WORK || !(outer.min.cmple(shell.min) & outer.max.cmpge(shell.max)).all() {
                return false;
            }
            work += outer.range.len();
            faces(points, triangles, order, &outer.range).map(|face| turn(point, face)).sum::<f64>().abs() > 0.5
        });
        shell.turned = around.map_or(shell.volume < 0.0, |outer| outer.turned);
    }
}
