//! Files made of frames: images of an Output or of a wire.
//!
//! [`job`] computes frames and passes them to a [`sink::FrameSink`]. Each format of files is a module of its own and one line in [`FORMATS`]; the
//! command line and the editor's dialog offer what stands there.

pub mod job;
mod png;
pub mod record;
pub mod sequence;
pub mod sink;
mod subject;

use sink::Format;

/// The formats that exports are written in.
pub const FORMATS: &[Format] = &[png::FORMAT];

/// What is written where nothing else is chosen.
pub const DEFAULT: &Format = &png::FORMAT;

/// The format of a name, as typed and as stored; `None` where there is none of that name.
pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
