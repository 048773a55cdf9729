//! Stages: one WGSL file each, whose header declares what it reads, writes and takes as parameters.

pub mod accessors;
mod bounded;
mod cached;
mod check;
mod code;
mod counting;
mod definition;
pub mod edges;
mod footprint;
pub mod guard;
pub mod header;
mod indexing;
pub mod interleave;
mod lanes;
pub mod language;
mod loops;
pub mod neighbors;
mod parse;
mod proven;
mod reach;
mod roll;
mod shared;
mod specialize;
pub mod syntax;
pub mod types;
mod unroll;

pub use code::code;
pub use definition::{Forwarded, IterationSource, Stage, StageError};
pub use proven::{Bounded, Footprint};
pub use reach::Reach;
pub use shared::{MAX_USED_FILES, SharedFile, SharedFiles, UseTarget, Used, UsedLines, is_shared, origin};
