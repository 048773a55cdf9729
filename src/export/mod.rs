//! Writes frames to files: images of an Output or of a wire.
//!
//! [`job`] computes frames and passes them to a [`sink::FrameSink`]. Each file format is a separate module and one line
//! in [`FORMATS`]; the command line and the editor's dialog offer the formats in this list.

pub mod checkpoints;
pub mod job;
mod png;
pub mod record;
pub mod sequence;
pub mod sink;
mod subject;

use sink::Format;

/// The file formats for exports.
pub const FORMATS: &[Format] = &[png::FORMAT];

/// The default format.
pub const DEFAULT: &Format = &png::FORMAT;

/// The format with this name, as typed and as stored; `None` where there is none.
pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
