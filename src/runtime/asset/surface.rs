//! Computes distances to the surface of a mesh.

use std::collections::HashMap;

use glam::DVec3;

use super::grid::AssetGrid;
use super::placement::{Placement, place, place_warnings};
use super::tree::{Tree, bounds};
use super::triangle::corners;
use super::{Cause, Phase, Work, fill, shells};
use crate::formats::mesh::{Mesh, is_point};
use crate::graph::Domain;

/// A point is inside where the absolute winding number is above this.
const INSIDE: f64 = 0.5;

/// Triangles that are welded between two checks for cancelling.
const MANY: usize = 1 << 16;

/// # Errors
/// No triangles, invalid vertices, no extent to scale, no memory for the cells; cancelling.
pub(crate) fn distances(mesh: Mesh, placement: &Placement, domain: &Domain, work: &Work) -> Result<AssetGrid, Cause> {
    work.begin(Phase::Preparing, 0)?;
    let mut warnings = mesh.warnings;
    let (mut points, mut triangles) = weld(&mesh.points, &mesh.triangles, work)?;
    let (min, max) = bounds(points.iter().copied());
    let transform = place(placement, min, max)?;
    for point in &mut points {
        *point = transform.transform_point3(*point);
    }
    let (min, max) = bounds(points.iter().copied());
    work.go_on(0)?;
    let seams = shells::orient(&points, &mut triangles, work)?;
    if seams.open > 0 {
        warnings.push(format!(
            "the mesh is not closed: {} of its edges belong to one face only, and near them the inside is a guess; fill its holes",
            seams.open
        ));
    }
    work.go_on(0)?;
    let tree = Tree::new(triangles.iter().map(|t| corners(&points, t)).collect(), work)?;
    let inside = |p| tree.winding(p).abs() > INSIDE;
    let values = fill::fill(domain, &tree, seams.closed, &inside, work)?;
    warnings.extend(place_warnings(domain, min, max, &values));
    Ok(AssetGrid { values, warnings, frames: None })
}

/// Merges points at the same position, so that adjacent faces share them: files repeat points wherever a normal or a
/// texture coordinate changes. Triangles that degenerate are dropped.
fn weld(points: &[DVec3], triangles: &[[u32; 3]], work: &Work) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), Cause> {
    let mut welded = Vec::new();
    let mut places = HashMap::new();
    let mut weld_point = |index: u32| {
        let point = points.get(index as usize).copied().unwrap_or(DVec3::NAN);
        if !is_point(point) {
            return Err(Cause::Vertex(point.to_array()));
        }
        // Adding zero turns -0 into 0.
        Ok(*places.entry((point + DVec3::ZERO).to_array().map(f64::to_bits)).or_insert_with(|| {
            welded.push(point);
            welded.len() as u32 - 1
        }))
    };
    let mut kept = Vec::with_capacity(triangles.len());
    for (index, [a, b, c]) in triangles.iter().enumerate() {
        if index % MANY == 0 {
            work.go_on(0)?;
        }
        let [a, b, c] = [weld_point(*a)?, weld_point(*b)?, weld_point(*c)?];
        if a != b && b != c && c != a {
            kept.push([a, b, c]);
        }
    }
    if kept.is_empty() { Err(Cause::NoTriangles) } else { Ok((welded, kept)) }
}
