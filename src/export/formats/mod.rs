//! The file formats of exports, one a module.

mod apng;
mod child;
mod csv;
mod exr;
mod ffmpeg;
mod flipbook;
mod gif;
mod movie;
mod npy;
mod npz;
mod ply;
mod png;
mod png16;
mod table;
mod usda;
mod vdb;
mod vtk;

use super::sink::{Format, Kind};
use crate::sim::Image;

/// All file formats.
pub const FORMATS: &[Format] = &[
    png::FORMAT,
    png16::FORMAT,
    exr::FORMAT,
    exr::HALF,
    vdb::FORMAT,
    vdb::HALF,
    vdb::LEVEL_SET,
    npy::FORMAT,
    npz::FORMAT,
    vtk::FORMAT,
    ply::FORMAT,
    usda::FORMAT,
    table::CSV,
    table::JSON_LINES,
    apng::FORMAT,
    gif::FORMAT,
    flipbook::FORMAT,
    ffmpeg::MP4,
    ffmpeg::WEBM,
    ffmpeg::PRORES,
];

/// The format of images where none is named.
pub const DEFAULT: &Format = &png::FORMAT;

/// An image as a PNG file: RGB, or RGBA where some pixel is not opaque.
///
/// # Errors
/// An image without pixels, or with missing ones.
pub fn png(image: &Image) -> Result<Vec<u8>, String> {
    png::file(image, &[]).map_err(|error| error.to_string())
}

/// The format of a wire where none is named.
pub(super) fn default_for(kind: Kind) -> &'static Format {
    match kind {
        Kind::Image | Kind::Picture => DEFAULT,
        Kind::Grid2 => &exr::FORMAT,
        Kind::Grid3 => &vdb::FORMAT,
        Kind::Distance => &vdb::LEVEL_SET,
        Kind::Particles => &ply::FORMAT,
        Kind::Number => &table::CSV,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_each_kind_has_a_default() {
        for (at, format) in FORMATS.iter().enumerate() {
            assert!(!FORMATS[..at].iter().any(|other| other.name == format.name), "{}", format.name);
        }
        for kind in [Kind::Image, Kind::Grid2, Kind::Grid3, Kind::Particles, Kind::Number] {
            assert!(default_for(kind).takes.contains(&kind), "{kind:?}");
        }
    }
}
