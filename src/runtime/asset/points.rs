//! Points of a mesh: its vertices, or points that lie evenly on its surface.

use std::collections::HashMap;

use glam::DVec3;

use super::placement::Placement;
use super::request::{Column, Number, Request, Wanted, no_domain};
use super::{AssetError, Cause, Work};
use crate::formats::FormatName;
use crate::formats::content::Content;
use crate::formats::mesh::{Mesh, is_point};
use crate::formats::ply::write::points as ply_of;
use crate::formats::points::{Points, Property, Type};
use crate::graph::{MAX_POINTS, MeshPoints};

/// Points that are made between two checks for cancelling.
const MANY: u32 = 1 << 16;

/// Points with their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    /// What a point's numbers are: `x y z` \[m\], `nx ny nz`, the direction outwards, and where the mesh has them `red green blue
    /// alpha` and `u v`.
    pub columns: Vec<&'static str>,
    /// Point by point.
    pub rows: Vec<f32>,
}

impl Cloud {
    /// How many points there are.
    pub fn count(&self) -> usize {
        self.rows.len() / self.columns.len().max(1)
    }

    /// A PLY file with the points.
    pub fn to_ply(&self) -> Vec<u8> {
        let columns: Vec<_> = self.columns.iter().map(|name| (*name, Type::F32)).collect();
        let word = |index: usize, column: usize| self.rows.get(index * columns.len() + column).map(|row| row.to_bits());
        ply_of(&[], &columns, self.count(), word)
    }
}

/// The points of an `.obj`, `.gltf` or `.glb` file, in its own coordinates.
///
/// # Errors
/// A file that cannot be used, a mesh without faces or with invalid vertices, too many points.
pub fn points_of(path: &std::path::Path, points: MeshPoints) -> Result<Cloud, AssetError> {
    let column = Column { components: 3, stride: 3, kind: Number::Float, capacity: MAX_POINTS };
    let request = Request::distance(path, Placement::InPlace, &no_domain());
    let request = Request { wanted: Wanted::Particles(column), ..request };
    let work = Work::default();
    let found = match request.read(&work) {
        Ok(Content::Mesh(mesh)) => of_mesh(&mesh, points, &work),
        Ok(_) => Err(Cause::NoTriangles),
        Err(cause) => Err(cause),
    };
    found.map_err(|cause| request.error(cause))
}

/// The points of a mesh as those of a file.
///
/// # Errors
/// As [`points_of`]; cancelling.
pub(super) fn read(mesh: &Mesh, points: MeshPoints, work: &Work) -> Result<Points, Cause> {
    let cloud = of_mesh(mesh, points, work)?;
    let (count, width) = (cloud.count(), Type::F32.bytes());
    let stride = cloud.columns.len() * width;
    let properties = cloud.columns.iter().enumerate().map(|(index, name)| Property {
        name: name.to_string(),
        ty: Type::F32,
        scale: 1.0,
        block: 0,
        offset: index * width,
        stride,
        little: true,
    });
    let properties = properties.collect();
    let block = cloud.rows.into_iter().flat_map(f32::to_le_bytes).collect();
    Ok(Points { kind: FormatName("mesh"), count, properties, blocks: vec![block], warnings: mesh.warnings.clone() })
}

/// Corners of a triangle.
#[derive(Clone, Copy)]
struct Face {
    corners: [DVec3; 3],
    colors: [[f32; 4]; 3],
    uvs: [[f32; 2]; 3],
}

/// Weights of three corners.
type Weights = [f64; 3];

impl Face {
    /// Twice the area, in the direction outwards.
    fn facing(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a)
    }

    fn mixed<const N: usize>(corners: [[f32; N]; 3], weights: Weights) -> [f32; N] {
        let mut mixed = [0.0; N];
        for (corner, weight) in corners.iter().zip(weights) {
            mixed.iter_mut().zip(corner).for_each(|(to, from)| *to += from * weight as f32);
        }
        mixed
    }
}

/// Which numbers points get, and those of the points that there are.
struct Rows {
    colors: bool,
    uvs: bool,
    numbers: Vec<f32>,
}

impl Rows {
    fn add(&mut self, at: DVec3, normal: DVec3, face: &Face, weights: Weights) {
        self.numbers.extend([at, normal].iter().flat_map(|v| v.as_vec3().to_array()));
        if self.colors {
            self.numbers.extend(Face::mixed(face.colors, weights));
        }
        if self.uvs {
            self.numbers.extend(Face::mixed(face.uvs, weights));
        }
    }
}

fn of_mesh(mesh: &Mesh, points: MeshPoints, work: &Work) -> Result<Cloud, Cause> {
    let corner = |index: u32| {
        let point = mesh.points.get(index as usize).copied().unwrap_or(DVec3::NAN);
        if is_point(point) { Ok(point) } else { Err(Cause::Vertex(point.to_array())) }
    };
    let mut faces = Vec::with_capacity(mesh.triangles.len());
    for (index, [a, b, c]) in mesh.triangles.iter().enumerate() {
        let corners = [corner(*a)?, corner(*b)?, corner(*c)?];
        let colors = mesh.colors.get(index).copied().unwrap_or([[1.0; 4]; 3]);
        faces.push(Face { corners, colors, uvs: mesh.uvs.get(index).copied().unwrap_or_default() });
    }
    if faces.is_empty() {
        return Err(Cause::NoTriangles);
    }
    let mut rows = Rows { colors: !mesh.colors.is_empty(), uvs: !mesh.uvs.is_empty(), numbers: Vec::new() };
    match points {
        MeshPoints::Vertices => vertices(&faces, &mut rows),
        MeshPoints::Surface { count, .. } if count > MAX_POINTS => {
            return Err(Cause::Parts("points", MAX_POINTS as usize));
        }
        MeshPoints::Surface { count, seed } => surface(&faces, count, seed, &mut rows, work)?,
    }
    let mut columns = vec!["x", "y", "z", "nx", "ny", "nz"];
    columns.extend(["red", "green", "blue", "alpha"].into_iter().filter(|_| rows.colors));
    columns.extend(["u", "v"].into_iter().filter(|_| rows.uvs));
    Ok(Cloud { columns, rows: rows.numbers })
}

/// Each position once, with the mean normal of its triangles, and colour and place on the texture of the first one.
fn vertices(faces: &[Face], rows: &mut Rows) {
    let mut places = HashMap::new();
    let mut found: Vec<(DVec3, DVec3, &Face, Weights)> = Vec::new();
    for face in faces {
        for (index, corner) in face.corners.into_iter().enumerate() {
            // Adding zero turns -0 into 0.
            let key = (corner + DVec3::ZERO).to_array().map(f64::to_bits);
            let place = *places.entry(key).or_insert_with(|| {
                let mut weights = [0.0; 3];
                weights.iter_mut().skip(index).take(1).for_each(|weight| *weight = 1.0);
                found.push((corner, DVec3::ZERO, face, weights));
                found.len() - 1
            });
            if let Some((_, normal, ..)) = found.get_mut(place) {
                *normal += face.facing();
            }
        }
    }
    for (at, normal, face, weights) in found {
        rows.add(at, normal.normalize_or_zero(), face, weights);
    }
}

/// The area is cut into as many pieces of equal size as there are points, and each gets one at random: nowhere are many more
/// than elsewhere.
fn surface(faces: &[Face], count: u32, seed: u64, rows: &mut Rows, work: &Work) -> Result<(), Cause> {
    let mut total = 0.0;
    let ends: Vec<f64> = faces
        .iter()
        .map(|face| {
            total += face.facing().length();
            total
        })
        .collect();
    if !(total > 0.0 && total.is_finite()) {
        return Err(Cause::NoExtent);
    }
    let mut random = random(seed);
    for index in 0..count {
        let at = (f64::from(index) + random()) / f64::from(count) * total;
        let face = ends.partition_point(|end| *end <= at).min(faces.len() - 1);
        let Some(face) = faces.get(face) else { continue };
        let [a, b, c] = face.corners;
        // Uniform in the triangle (Turk, Graphics Gems, 1990).
        let (root, second) = (random().sqrt(), random());
        let weights = [1.0 - root, root * (1.0 - second), root * second];
        let place = a * weights[0] + b * weights[1] + c * weights[2];
        rows.add(place, face.facing().normalize_or_zero(), face, weights);
        if index.is_multiple_of(MANY) {
            work.go_on(0)?;
        }
    }
    Ok(())
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
