//! Velocity of a moving mesh: how its surface gets from one file of a sequence to the next.

use std::hash::{DefaultHasher, Hash, Hasher};

use glam::DVec3;

use super::grid::AssetGrid;
use super::placement::{Placement, place};
use super::tree::{Tree, bounds};
use super::triangle::{Triangle, corners, nearest_weights};
use super::{Cause, Phase, Work, fill};
use crate::formats::mesh::{Mesh, is_point};
use crate::graph::Domain;

/// The velocity of the surface's nearest point at each cell centre \[m/s\]: the way of a vertex from `other` to `mesh`, times `rate`, which
/// is negative where `other` comes later, and straight between vertices.
///
/// # Errors
/// Meshes with other triangles, invalid vertices, no extent to scale, no memory for the cells; cancelling.
pub(super) fn velocities(
    mesh: &Mesh,
    other: &Mesh,
    rate: f64,
    placement: &Placement,
    domain: &Domain,
    work: &Work,
) -> Result<AssetGrid, Cause> {
    work.begin(Phase::Preparing, 0)?;
    if mesh.triangles != other.triangles || mesh.points.len() != other.points.len() {
        let remedy = "export the sequence with the same faces in every file, or disconnect `velocity`";
        return Err(Cause::Unfit("its faces are not those of the file next to it in the sequence".into(), remedy));
    }
    let (now, then) = (placed(mesh, placement)?, placed(other, placement)?);
    if now.is_empty() {
        return Err(Cause::NoTriangles);
    }
    // Sorted by a hash, since the tree has an order of its own.
    let mut moved: Vec<(u64, u32)> = now.iter().map(key).zip(0..).collect();
    moved.sort_unstable();
    work.go_on(0)?;
    let tree = Tree::new(now.clone(), work)?;
    let velocity = |p: DVec3, near: usize| {
        let (_, near) = tree.nearest(p, near);
        let velocity = tree.triangle(near).and_then(|triangle| {
            let triangle_key = key(&triangle);
            let (_, index) = moved.get(moved.partition_point(|(key, _)| *key < triangle_key))?;
            let (now, then) = (now.get(*index as usize)?, then.get(*index as usize)?);
            let weights = nearest_weights(p, *now);
            Some(
                (0..3)
                    .map(|corner| (now[corner] - then[corner]) * weights[corner])
                    .fold(DVec3::ZERO, |sum, part| sum + part)
                    * rate,
            )
        });
        (velocity.unwrap_or(DVec3::ZERO), near)
    };
    let values = fill::rows(domain, 3, work, &|y, z, row| {
        let mut near = 0;
        for (x, value) in row.chunks_exact_mut(3).enumerate() {
            let cell_velocity;
            (cell_velocity, near) = velocity(DVec3::new((x as f64 + 0.5) * domain.cell_size, y, z), near);
            value.copy_from_slice(&cell_velocity.as_vec3().to_array());
        }
    })?;
    Ok(AssetGrid { values, warnings: Vec::new(), frames: None })
}

/// The triangles of a mesh in their place.
fn placed(mesh: &Mesh, placement: &Placement) -> Result<Vec<Triangle>, Cause> {
    let mut triangles: Vec<Triangle> = mesh.triangles.iter().map(|triangle| corners(&mesh.points, triangle)).collect();
    if let Some(point) = triangles.as_flattened().iter().find(|point| !is_point(**point)) {
        return Err(Cause::Vertex(point.to_array()));
    }
    let (min, max) = bounds(triangles.as_flattened().iter().copied());
    let transform = place(placement, min, max)?;
    triangles.as_flattened_mut().iter_mut().for_each(|point| *point = transform.transform_point3(*point));
    Ok(triangles)
}

fn key(triangle: &Triangle) -> u64 {
    let mut hash = DefaultHasher::new();
    triangle.map(|point| point.to_array().map(f64::to_bits)).hash(&mut hash);
    hash.finish()
}
