//! Grids from files: signed distances to triangle meshes (OBJ, glTF) in 3D and to shapes in images (PNG, JPEG, EXR) in 2D, and
//! the colours of images. Computed on the CPU; the results are reproducible.
//!
//! A mesh is read (`obj`, `gltf`), placed, welded and oriented (`surface`), and put into a tree (`tree`) that answers
//! two questions for each cell: how far is the surface (the exact distance to the nearest triangle), and is the cell
//! inside (the generalized winding number: Jacobson, Kavan & Sorkine-Hornung, "Robust inside-outside segmentation using
//! generalized winding numbers", SIGGRAPH 2013, with the far field of Barill et al., "Fast winding numbers for soups
//! and clouds", SIGGRAPH 2018). An image becomes the curve where its coverage is one half (`contour`), and the same
//! tree computes the distance to it. Colours are the image resampled in linear light (`colors`).
//! Arrays and volumes (`npy`, `vdb`) are interpolated at the centres of the cells (`volume`). Particles (`ply`, `npy`, `npz`, and
//! points of meshes from `points`) become the attributes that a State names (`particles`).

mod colors;
mod contour;
mod coverage;
mod decoded_points;
pub mod envelope;
mod fill;
mod frames;
mod grid;
mod load;
mod motion;
mod particles;
mod placement;
pub mod points;
mod request;
mod shells;
mod surface;
#[cfg(test)]
mod tests;
mod tree;
mod triangle;
mod volume;

use std::path::{Path, PathBuf};

use stagewright_graphs::FILES;

use crate::files::Access;
use crate::formats::bytes::read;
pub use crate::formats::limits::{MAX_FILE, MAX_PIXELS, MAX_TABLE, MAX_TRIANGLES, MAX_VERTICES};
use crate::formats::reader_of;
pub use crate::formats::warnings::{APPLY, COUNT_AS_ZERO};
pub use crate::formats::{AssetError, Cause, Phase, Text, Work, sentence};
use crate::graph::Domain;
pub use decoded_points::Shared;
pub use envelope::Timing;
pub use frames::{Frames, MAX_FRAMES, files_of};
pub use grid::AssetGrid;
pub use load::MAX_NUMBERS;
pub use placement::Placement;
pub use request::{Column, Neighbor, Number, Request, Wanted};

/// A shipped file with this name below the folder of the shipped graphs, such as `vessels/pegs.png`. So that shipped
/// graphs work wherever they are, a graph reads it where no file below its own folder has that name.
pub fn built_in(named: &Path) -> Option<&'static [u8]> {
    FILES.get(&named.to_str()?.replace('\\', "/"))
}

/// The signed distance from every cell centre to the shape in a file, as [`Request::load`] computes it.
///
/// # Errors
/// As [`Request::load`].
pub fn distance_grid(path: &Path, placement: &Placement, domain: &Domain) -> Result<AssetGrid, AssetError> {
    Request::distance(path, *placement, domain).load(&Work::default())
}

/// Files that a file stands on, and how much of each counts \[bytes\]: the buffers of a glTF file that may be read.
pub fn companions(path: &Path, access: &Access) -> Vec<(PathBuf, u64)> {
    let Some(companions) = reader_of(path).and_then(|reader| reader.companions) else { return Vec::new() };
    let bytes = read(path, MAX_FILE, &Work::default()).unwrap_or_default();
    companions(&bytes, path.parent().unwrap_or(Path::new("")), access)
}
