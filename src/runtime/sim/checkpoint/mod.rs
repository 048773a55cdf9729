//! The States of a simulation in a file, from which it continues with the same bits: in another process, on another day.
//!
//! The format is [safetensors](https://github.com/huggingface/safetensors): a tensor for each State, named after it, with the axes
//! z, y, x and component for grids, and particle and component for particles. Everything else is text in its header. The header has a
//! hash of itself, and of each tensor (`header`).
//!
//! A file may come from anybody. [`CheckpointFile`] is one of which only the header was read. [`CheckpointFile::load`] compares it with
//! a plan, and reads no more than the States of the plan take.

mod about;
mod contents;
mod error;
mod file;
mod header;

pub use about::{About, Stop};
use about::{StateAbout, VERSION};
use contents::common;
pub use contents::{BadState, Checkpoint, named};
pub use error::CheckpointError;
pub use file::CheckpointFile;
