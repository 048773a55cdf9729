//! The file formats of exports, one a module.

mod apng;
mod bytes;
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
mod vdb_tree;
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
    png::file(image).map_err(|error| error.to_string())
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
    use std::fs::File;
    use std::io::{Seek, Write};

    use super::*;

    /// Asserts that a file counts as complete, and not when it is cut anywhere or longer.
    pub(super) fn only_whole_files_count(bytes: &[u8], inspect: fn(&mut File, u64) -> Option<[u32; 2]>) {
        let thread = std::thread::current();
        let name = format!("stagewright-{}-{}", thread.name().unwrap_or("test").replace(':', "-"), std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        // The open file stays.
        let _ = std::fs::remove_file(&path);
        file.write_all(bytes).unwrap();
        let length = bytes.len() as u64;
        file.rewind().unwrap();
        assert!(inspect(&mut file, length).is_some(), "a whole file");
        // All short lengths, and every few bytes of a long file.
        let step = (length / 400).max(1) as usize;
        for cut in (0..length).rev().take(64).chain((0..length).step_by(step)).chain([length + 1]) {
            file.set_len(length).unwrap();
            file.rewind().unwrap();
            file.write_all(bytes).unwrap();
            file.set_len(cut).unwrap();
            file.rewind().unwrap();
            assert_eq!(inspect(&mut file, cut), None, "{cut} bytes of {length}");
        }
    }

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
