//! Signed distances on a domain from files: triangle meshes (OBJ, glTF) in 3D, images (PNG) in 2D. Computed on the CPU;
//! the results are reproducible.
//!
//! A mesh is read (`obj`, `gltf`), placed, welded and oriented (`surface`), and put into a tree (`tree`) that answers
//! two questions for each cell: how far is the surface (the exact distance to the nearest triangle), and is the cell
//! inside (the generalized winding number: Jacobson, Kavan & Sorkine-Hornung, "Robust inside-outside segmentation using
//! generalized winding numbers", SIGGRAPH 2013, with the far field of Barill et al., "Fast winding numbers for soups
//! and clouds", SIGGRAPH 2018). An image becomes the curve where its coverage is one half (`contour`), and the same
//! tree computes the distance to it.

mod accessor;
mod contour;
mod error;
mod fill;
mod gltf;
mod image;
mod obj;
mod shells;
mod surface;
#[cfg(test)]
mod tests;
mod tree;
mod triangle;
mod work;

use std::io::Read;
use std::path::{Path, PathBuf};

use glam::{DMat4, DVec3};

use crate::embedded::VESSELS;
use crate::files::{Access, read as regular};
use crate::graph::Domain;
pub use error::{AssetError, Cause};
pub use work::{Phase, Work};

/// Size limit of a file, or of a buffer file \[bytes\].
pub const MAX_FILE: u64 = 1 << 30;
/// Limit of triangles of a mesh, or of segments of an image's outline.
pub const MAX_TRIANGLES: usize = 5_000_000;
/// Limit of vertices of a mesh: enough for triangles that share none.
pub const MAX_VERTICES: usize = 3 * MAX_TRIANGLES;
/// Limit of cells of a domain that distances are computed on: they take 4 GiB.
pub const MAX_CELLS: u64 = 1 << 30;
/// Bytes that are read between two checks for cancelling.
const CHUNK: u64 = 4 << 20;
/// Larger coordinates and sizes are considered errors \[m\].
const MAX_COORDINATE: f64 = 1e15;

/// Where a file's shape is placed in the domain, whose lower corner is the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placement {
    /// The centre of the shape's bounding box is moved to `center` \[m\], and its longest side (an image's width) is
    /// scaled to `size` \[m\]. A size of 0 keeps the file's units: metres for a mesh, cells for the pixels of an image.
    /// 2D ignores `center[2]`.
    Fit {
        /// Centre of the bounding box in the domain \[m\].
        center: [f64; 3],
        /// Longest side \[m\]; 0 keeps the file's units.
        size: f64,
    },
    /// The file's coordinates are metres in the domain. A pixel is a cell, the lower left one in the domain's corner.
    InPlace,
}

/// Signed distances, and warnings about the file.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceGrid {
    /// \[m\], negative inside, one per cell centre, x fastest.
    pub values: Vec<f32>,
    /// Sentences for the user. The distances are nevertheless usable.
    pub warnings: Vec<String>,
}

/// Vertices and triangles as in the file.
#[derive(Clone, Debug, Default)]
struct Mesh {
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    warnings: Vec<String>,
}

/// The signed distance from every cell centre to the shape in a file: `.obj`, `.gltf` or `.glb` on a 3D domain, `.png`
/// on a 2D one. Files that it refers to must be in its folder or below.
///
/// Distances to the triangles (in 2D: to the segments of the outline) are exact up to f32's rounding.
///
/// # Errors
/// One sentence with the file, the cause and the remedy: a file that cannot be read or has another format than its
/// extension, a shape that does not fit the domain's dimension, an empty shape, an invalid size or centre.
pub fn distance_grid(path: &Path, placement: &Placement, domain: &Domain) -> Result<DistanceGrid, AssetError> {
    let access = Access::new(path.parent().unwrap_or(Path::new("")), false);
    distance_grid_watched(path, &access, placement, domain, &Work::default())
}

/// The same; `work`, which must be new, reports the progress and can cancel it. `access` decides which files the file
/// may refer to.
///
/// # Errors
/// As [`distance_grid`]; and [`Cause::Stopped`].
pub fn distance_grid_watched(
    path: &Path,
    access: &Access,
    placement: &Placement,
    domain: &Domain,
    work: &Work,
) -> Result<DistanceGrid, AssetError> {
    let measured = read_shape(path, access, placement, domain, work).and_then(|shape| match shape {
        Shape::Image(coverage) => contour::distances(coverage, placement, domain, work),
        Shape::Mesh(mesh) => surface::distances(mesh, placement, domain, work),
    });
    measured.map_err(|cause| AssetError { file: path.into(), cause })
}

/// The contents of a drawing that ships with the program and that shipped graphs name, such as `vessels/pegs.png`.
pub fn built_in(named: &Path) -> Option<&'static [u8]> {
    let name = named.to_str()?.replace('\\', "/");
    VESSELS.get(name.strip_prefix("vessels/")?)
}

/// The distances to a drawing that [`built_in`] gave; `work` as for [`distance_grid_watched`].
///
/// # Errors
/// As [`distance_grid_watched`].
pub fn built_in_grid(
    named: &Path,
    bytes: &[u8],
    placement: &Placement,
    domain: &Domain,
    work: &Work,
) -> Result<DistanceGrid, AssetError> {
    let measured = check_shape(&ending(named), placement, domain)
        .and_then(|_| image::coverage(bytes.to_vec()))
        .and_then(|coverage| contour::distances(coverage, placement, domain, work));
    measured.map_err(|cause| AssetError { file: named.into(), cause })
}

/// Reads and decodes a file as [`distance_grid_watched`] does, and measures nothing.
///
/// # Errors
/// As [`distance_grid`].
pub fn check(path: &Path, access: &Access, placement: &Placement, domain: &Domain) -> Result<(), AssetError> {
    let read = read_shape(path, access, placement, domain, &Work::default());
    read.map(drop).map_err(|cause| AssetError { file: path.into(), cause })
}

/// Files that a file stands on, and how much of each counts \[bytes\]: the buffers of a glTF file that may be read.
pub fn companions(path: &Path, access: &Access) -> Vec<(PathBuf, u64)> {
    if ending(path) != "gltf" {
        return Vec::new();
    }
    let bytes = read(path, MAX_FILE, &Work::default()).unwrap_or_default();
    gltf::companions(&bytes, path.parent().unwrap_or(Path::new("")), access)
}

/// What a file holds.
enum Shape {
    Mesh(Mesh),
    Image(image::Coverage),
}

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn read_shape(
    path: &Path,
    access: &Access,
    placement: &Placement,
    domain: &Domain,
    work: &Work,
) -> Result<Shape, Cause> {
    let ending = ending(path);
    check_shape(&ending, placement, domain)?;
    let bytes = read(path, MAX_FILE, work)?;
    work.begin(Phase::Decoding, 0)?;
    Ok(match ending.as_str() {
        "png" => Shape::Image(image::coverage(bytes)?),
        "obj" => Shape::Mesh(obj::read(&bytes, work)?),
        _ => Shape::Mesh(gltf::read(&bytes, path.parent().unwrap_or(Path::new("")), access, work)?),
    })
}

/// What can be known to be wrong before the file is opened.
fn check_shape(ending: &str, placement: &Placement, domain: &Domain) -> Result<(), Cause> {
    if let Placement::Fit { center, size } = placement {
        check_placement(*center, *size)?;
    }
    let is_mesh = match ending {
        "obj" | "gltf" | "glb" => true,
        "png" => false,
        _ => return Err(Cause::Ending(ending.into())),
    };
    match (is_mesh, domain.dim) {
        (true, 2) => Err(Cause::MeshIn2d),
        (false, 3) => Err(Cause::ImageIn3d),
        _ if domain.cells() > MAX_CELLS => Err(Cause::Cells),
        _ => Ok(()),
    }
}

fn check_placement(center: [f64; 3], size: f64) -> Result<(), Cause> {
    if !(0.0..=MAX_COORDINATE).contains(&size) {
        return Err(Cause::Size(size));
    }
    if is_point(DVec3::from(center)) { Ok(()) } else { Err(Cause::Center) }
}

/// Whether coordinates can be reckoned with; NaN and infinity can't.
fn is_point(p: DVec3) -> bool {
    p.abs().cmple(DVec3::splat(MAX_COORDINATE)).all()
}

/// A whole regular file of at most `limit` bytes.
fn read(path: &Path, limit: u64, work: &Work) -> Result<Vec<u8>, Cause> {
    let (file, length) = regular::open(path)?;
    if length > limit { Err(Cause::TooLarge) } else { read_start(file, length, work) }
}

/// The first bytes of an open file, as many as it has up to `count`.
fn read_start(file: std::fs::File, count: u64, work: &Work) -> Result<Vec<u8>, Cause> {
    let failed = |e: std::io::Error| Cause::Unreadable(e.to_string());
    work.begin(Phase::Reading, count)?;
    let mut bytes = Vec::new();
    let room = usize::try_from(count).map_err(|_| Cause::TooLarge)?;
    bytes.try_reserve_exact(room).map_err(|_| Cause::Unreadable("there is not enough memory for it".into()))?;
    // It may grow while it is read.
    let mut file = file.take(count);
    loop {
        let count = file.by_ref().take(CHUNK).read_to_end(&mut bytes).map_err(failed)?;
        work.go_on(count as u64)?;
        if count == 0 {
            return Ok(bytes);
        }
    }
}

/// Takes a shape's bounding box to its place.
fn place(placement: &Placement, min: DVec3, max: DVec3) -> Result<DMat4, Cause> {
    let longest = (max - min).max_element();
    match *placement {
        // A point would need an endless scale.
        Placement::Fit { size, .. } if size > 0.0 && longest <= 1e-30 => Err(Cause::NoExtent),
        Placement::Fit { center, size } => {
            let scale = if size > 0.0 { size / longest } else { 1.0 };
            let middle = (min + max) / 2.0;
            Ok(DMat4::from_translation(DVec3::from(center))
                * DMat4::from_scale(DVec3::splat(scale))
                * DMat4::from_translation(-middle))
        }
        Placement::InPlace => Ok(DMat4::IDENTITY),
    }
}

/// What is worth knowing once a shape is in its place and measured.
fn place_warnings(domain: &Domain, min: DVec3, max: DVec3, values: &[f32]) -> Option<String> {
    let size = DVec3::from(domain.size());
    let mut apart = max.cmplt(DVec3::ZERO) | min.cmpgt(size);
    if domain.dim == 2 {
        apart.set(2, false);
    }
    if apart.any() {
        return Some(format!(
            "the shape lies outside the domain: it goes from {} to {} m; move its center",
            corner(domain, min),
            corner(domain, max)
        ));
    }
    let inside = values.iter().any(|v| *v < 0.0);
    (!inside).then(|| "no cell centre lies inside the shape; make it larger or the cells smaller".into())
}

fn corner(domain: &Domain, point: DVec3) -> String {
    match domain.dim {
        2 => format!("({:.3}, {:.3})", point.x, point.y),
        _ => format!("({:.3}, {:.3}, {:.3})", point.x, point.y, point.z),
    }
}
