//! Writes frames to files: images of Outputs, views of wires, and the values of wires in the formats of other programs.
//!
//! [`job`] computes frames and passes them to a [`sink::FrameSink`] for each series of files. Each file format is a separate module in
//! `formats` and one line in [`FORMATS`]; the command line and the editor's dialog offer the formats in this list.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

use stagewright_base::{background, cache, cancel, files, printable, problem, quoting};
use stagewright_compiler as plan;
use stagewright_language::{document, graph, library, stage};
use stagewright_runtime::{asset, bake, gpu, sim, tune};

pub mod checkpoints;
mod claim;
pub mod clock;
pub mod command;
mod error;
pub mod estimate;
mod fingerprint;
mod formats;
pub mod frames;
mod item;
pub mod job;
mod measure;
mod members;
mod memory;
pub mod names;
mod order;
mod pace;
pub mod place;
pub mod preset;
pub mod record;
mod remarks;
pub mod resume;
mod run;
pub mod select;
pub mod sequence;
pub mod settings;
pub mod sheet;
pub mod sink;
mod sizes;
mod subject;
pub mod sweep;
pub mod value;
pub mod wires;

pub use formats::{DEFAULT, FORMATS, png};
use sink::{Format, Kind};

/// The formats for images of 8 bits, as an Output shows them, one file a frame.
pub fn image_formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| format.takes.contains(&Kind::Image) && !format.single)
}

/// The format with this name, as typed and as stored; `None` where there is none.
pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format with this name among [`image_formats`].
pub fn image_format_named(name: &str) -> Option<&'static Format> {
    image_formats().find(|format| format.name == name)
}
