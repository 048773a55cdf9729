//! A bounding volume hierarchy of triangles: finds the nearest one, and sums winding numbers.

use glam::DVec3;

use super::triangle::{Triangle, area_vector, distance_squared, turn};
use super::{Cause, Work};

/// Maximum number of triangles in a leaf.
const LEAF: usize = 4;
/// Number of triangles from which a split takes long enough to check for cancelling.
const LARGE: usize = 10_000;
/// A cluster at this many radii or more acts as one dipole. Barill et al. use 2 with terms of higher order; without
/// these, 3 keeps the error of a winding number at a few hundredths.
const FAR: f64 = 3.0;
/// Splitting 5 million triangles in halves takes 21 levels.
const DEPTH: usize = 64;

pub(super) struct Tree {
    /// The root first; a left child follows its parent.
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    triangles: Vec<Triangle>,
}

struct Node {
    min: DVec3,
    max: DVec3,
    /// The area-weighted mean of the triangles' centroids, and the distance of the farthest corner from it.
    center: DVec3,
    reach: f64,
    /// The sum of the area vectors: the dipole moment of all triangles.
    moment: DVec3,
    /// A disc that contains the triangles: its axis passes through the center along the moment.
    axis: DVec3,
    low: f64,
    high: f64,
    radius: f64,
    /// The range of its triangles.
    start: u32,
    end: u32,
    /// The right child; 0 in a leaf.
    right: u32,
}

impl Tree {
    /// `triangles` must be finite and may be degenerate.
    ///
    /// # Errors
    /// Cancelling.
    pub(super) fn new(mut triangles: Vec<Triangle>, work: &Work) -> Result<Tree, Cause> {
        let mut nodes = Vec::with_capacity(triangles.len());
        let end = triangles.len();
        split(&mut triangles, 0, end, &mut nodes, work)?;
        Ok(Tree { nodes, triangles })
    }

    fn leaf(&self, node: &Node) -> &[Triangle] {
        self.triangles.get(node.start as usize..node.end as usize).unwrap_or_default()
    }

    /// The triangle with an index.
    pub(super) fn triangle(&self, index: usize) -> Option<Triangle> {
        self.triangles.get(index).copied()
    }

    /// The distance to the nearest triangle, and its index. `near` is a guess: the better it is, the faster the search.
    pub(super) fn nearest(&self, p: DVec3, near: usize) -> (f64, usize) {
        let to = |index: usize| self.triangles.get(index).map_or(f64::INFINITY, |t| distance_squared(p, *t));
        let (mut best, mut nearest) = (to(near), near);
        // Boxes still to visit, with their squared distances.
        let mut waiting = [(0, 0.0); DEPTH];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (mut index, distance) = waiting[count];
            if distance >= best {
                continue;
            }
            while let Some(node) = self.nodes.get(index as usize) {
                if node.right == 0 {
                    for triangle in node.start as usize..node.end as usize {
                        let distance = to(triangle);
                        if distance < best {
                            (best, nearest) = (distance, triangle);
                        }
                    }
                    break;
                }
                let (left, right) = (index + 1, node.right);
                let (mut nearer, mut farther) = ((left, self.bound(p, left)), (right, self.bound(p, right)));
                if farther.1 < nearer.1 {
                    std::mem::swap(&mut nearer, &mut farther);
                }
                if farther.1 < best && count < DEPTH {
                    waiting[count] = farther;
                    count += 1;
                }
                if nearer.1 >= best {
                    break;
                }
                index = nearer.0;
            }
        }
        (best.sqrt(), nearest)
    }

    /// A lower bound of the squared distance to all triangles of a node: the larger one of those to the box and to the
    /// disc. On slanted surfaces the corners of boxes reach far beyond it, and a distant point would have to visit all
    /// of them.
    fn bound(&self, p: DVec3, index: u32) -> f64 {
        let Some(node) = self.nodes.get(index as usize) else { return f64::INFINITY };
        let to_box = (p - p.clamp(node.min, node.max)).length_squared();
        let offset = p - node.center;
        let along = offset.dot(node.axis);
        let across = (offset.length_squared() - along * along).max(0.0).sqrt();
        let (over, beside) = ((along - node.high).max(node.low - along).max(0.0), (across - node.radius).max(0.0));
        to_box.max(over * over + beside * beside)
    }

    /// The generalized winding number of a point: 1 inside a closed surface that faces outwards, 0 outside, in between
    /// near holes.
    pub(super) fn winding(&self, p: DVec3) -> f64 {
        let mut sum = 0.0;
        let mut index = 0;
        // Preorder: skipping a subtree means to continue at its right neighbour, which is on this stack.
        let mut waiting = [0; DEPTH];
        let mut count = 0;
        while let Some(node) = self.nodes.get(index as usize) {
            let offset = node.center - p;
            let square = offset.length_squared();
            if square > (FAR * node.reach) * (FAR * node.reach) {
                sum += node.moment.dot(offset) / (4.0 * std::f64::consts::PI * square * square.sqrt());
            } else if node.right == 0 {
                sum += self.leaf(node).iter().map(|t| turn(p, *t)).sum::<f64>();
            } else if count < DEPTH {
                waiting[count] = node.right;
                count += 1;
                index += 1;
                continue;
            }
            if count == 0 {
                break;
            }
            count -= 1;
            index = waiting[count];
        }
        sum
    }
}

/// Adds the node of a range of triangles and its descendants. It splits the range in equal halves along the longest
/// side, so the depth is bounded for any input.
fn split(
    triangles: &mut [Triangle],
    start: usize,
    end: usize,
    nodes: &mut Vec<Node>,
    work: &Work,
) -> Result<(), Cause> {
    let Some(range) = triangles.get_mut(start..end).filter(|range| !range.is_empty()) else { return Ok(()) };
    let index = nodes.len();
    nodes.push(node(range, start));
    if range.len() <= LEAF {
        return Ok(());
    }
    if range.len() > LARGE {
        work.go_on(0)?;
    }
    let (min, max) = bounds(range.iter().map(middle));
    let axis = (max - min).max_position();
    let half = range.len() / 2;
    range.select_nth_unstable_by(half, |s, t| middle(s)[axis].total_cmp(&middle(t)[axis]));
    split(triangles, start, start + half, nodes, work)?;
    let right = nodes.len() as u32;
    split(triangles, start + half, end, nodes, work)?;
    if let Some(node) = nodes.get_mut(index) {
        node.right = right;
    }
    Ok(())
}

fn node(triangles: &[Triangle], start: usize) -> Node {
    let corners = || triangles.iter().flatten().copied();
    let (min, max) = bounds(corners());
    let mut weighted = DVec3::ZERO;
    let mut moment = DVec3::ZERO;
    let mut area = 0.0;
    for triangle in triangles {
        let normal = area_vector(*triangle);
        moment += normal;
        area += normal.length();
        weighted += (middle(triangle) - min) * normal.length();
    }
    let center = if area > 0.0 { min + weighted / area } else { (min + max) / 2.0 };
    let axis = moment.normalize_or(DVec3::Z);
    let mut low = 0.0f64;
    let mut high = 0.0f64;
    let mut radius = 0.0f64;
    let mut reach = 0.0f64;
    for offset in corners().map(|c| c - center) {
        let along = offset.dot(axis);
        (low, high) = (low.min(along), high.max(along));
        radius = radius.max((offset - axis * along).length());
        reach = reach.max(offset.length());
    }
    let (start, end) = (start as u32, (start + triangles.len()) as u32);
    Node { min, max, center, reach, moment, axis, low, high, radius, start, end, right: 0 }
}

fn middle([a, b, c]: &Triangle) -> DVec3 {
    (*a + *b + *c) / 3.0
}

/// The corners of the bounding box of points.
pub(super) fn bounds(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| (min.min(p), max.max(p)))
}
