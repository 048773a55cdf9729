//! Stages: one WGSL file each, whose header declares what it reads, writes and takes as parameters.

pub(crate) mod accessors;
mod bounded;
mod cached;
mod check;
mod code;
mod counting;
mod definition;
pub mod edges;
mod footprint;
pub(crate) mod guard;
pub mod header;
mod indexing;
pub(crate) mod interleave;
pub(crate) mod language;
mod loops;
pub(crate) mod neighbors;
mod parse;
mod proven;
mod reach;
mod specialize;
pub(crate) mod syntax;
pub mod types;
mod unroll;

pub use code::code;
pub use definition::{Forwarded, IterationSource, Stage, StageError};
pub use proven::{Bounded, Footprint};
pub use reach::Reach;
