//! Points of a mesh: its vertices, or points that lie evenly on its surface.

use glam::DVec3;

use super::error::Cause;
use super::{AssetError, Content, Mesh, Placement, Request, Work, is_point};
use crate::graph::Domain;

/// Limit of points.
pub const MAX_POINTS: u32 = 15_000_000;

/// Which points of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// Its vertices, each position once.
    Vertices,
    /// So many, evenly over its surface; the same in every run with the same seed.
    Surface {
        /// How many.
        count: u32,
        /// Chooses among all such sets of points.
        seed: u64,
    },
}

/// A position \[m\], and the direction outwards there.
pub type Point = ([f64; 3], [f64; 3]);

/// The points of an `.obj`, `.gltf` or `.glb` file, in its own coordinates.
///
/// # Errors
/// A file that cannot be used, a mesh without faces or with invalid vertices, too many points.
pub fn points_of(path: &std::path::Path, points: Points) -> Result<Vec<Point>, AssetError> {
    let domain = Domain {
        name: String::new(),
        dim: 3,
        resolution: [1; 3],
        cell_size: 1.0,
        edge: Default::default(),
        finer: None,
        sliced: None,
    };
    let request = Request::distance(path, Placement::InPlace, &domain);
    let found = match request.read(&Work::default()) {
        Ok(Content::Mesh(mesh)) => of_mesh(&mesh, points),
        Ok(_) => Err(Cause::NoTriangles),
        Err(cause) => Err(cause),
    };
    found.map_err(|cause| request.error(cause))
}

fn of_mesh(mesh: &Mesh, points: Points) -> Result<Vec<Point>, Cause> {
    let corner = |index: u32| {
        let point = mesh.points.get(index as usize).copied().unwrap_or(DVec3::NAN);
        if is_point(point) { Ok(point) } else { Err(Cause::Vertex(point.to_array())) }
    };
    let mut corners = Vec::with_capacity(mesh.triangles.len());
    for [a, b, c] in &mesh.triangles {
        corners.push([corner(*a)?, corner(*b)?, corner(*c)?]);
    }
    if corners.is_empty() {
        return Err(Cause::NoTriangles);
    }
    match points {
        Points::Vertices => Ok(vertices(&corners)),
        Points::Surface { count, .. } if count > MAX_POINTS => Err(Cause::Parts("points", MAX_POINTS as usize)),
        Points::Surface { count, seed } => surface(&corners, count, seed),
    }
}

/// Twice the area of a triangle, in the direction outwards.
fn facing([a, b, c]: &[DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

fn vertices(triangles: &[[DVec3; 3]]) -> Vec<Point> {
    let mut places = std::collections::HashMap::new();
    let mut found: Vec<(DVec3, DVec3)> = Vec::new();
    for triangle in triangles {
        for corner in triangle {
            // Adding zero turns -0 into 0.
            let key = (corner + DVec3::ZERO).to_array().map(f64::to_bits);
            let index = *places.entry(key).or_insert_with(|| {
                found.push((*corner, DVec3::ZERO));
                found.len() - 1
            });
            if let Some((_, normal)) = found.get_mut(index) {
                *normal += facing(triangle);
            }
        }
    }
    found.into_iter().map(|(at, normal)| (at.to_array(), normal.normalize_or_zero().to_array())).collect()
}

/// The area is cut into as many pieces of equal size as there are points, and each gets one at random: nowhere are many more
/// than elsewhere.
fn surface(triangles: &[[DVec3; 3]], count: u32, seed: u64) -> Result<Vec<Point>, Cause> {
    let mut total = 0.0;
    let ends: Vec<f64> = triangles
        .iter()
        .map(|triangle| {
            total += facing(triangle).length();
            total
        })
        .collect();
    if !(total > 0.0 && total.is_finite()) {
        return Err(Cause::NoExtent);
    }
    let mut random = random(seed);
    let point = |index: u32| {
        let at = (f64::from(index) + random()) / f64::from(count) * total;
        let triangle = ends.partition_point(|end| *end <= at).min(triangles.len() - 1);
        let [a, b, c] = triangles.get(triangle).copied().unwrap_or_default();
        // Uniform in the triangle (Turk, Graphics Gems, 1990).
        let (root, second) = (random().sqrt(), random());
        let place = a * (1.0 - root) + b * (root * (1.0 - second)) + c * (root * second);
        (place.to_array(), facing(&[a, b, c]).normalize_or_zero().to_array())
    };
    Ok((0..count).map(point).collect())
}

/// Numbers from 0 to 1 (SplitMix64: Steele, Lea & Flood 2014).
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
