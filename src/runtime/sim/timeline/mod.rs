//! The past of a run. The input of every frame and every change of a parameter is noted, and the States are copied now and
//! then. So any frame can be computed again, with the same bits: from the nearest copy, with the same input.
//!
//! A checkpoint is of the present run if its hash is that of the journal at its frame. A changed parameter makes later ones stale, and undoing
//! the change makes them valid again. How often States are copied follows from the time of a frame and the size of the States. Where
//! memory is full, checkpoints of other runs go first, then those that leave the smallest gap for their distance from the present frame.
//! States from elsewhere (another graph, a write, a file) are not what the journal leads to: their frame is *carried*, and gets a checkpoint.

mod checkpoints;
mod history;
mod journal;
mod past;
mod seek;

pub(super) use checkpoints::Handle;
pub use checkpoints::{Budget, Storage};
pub use history::{Applies, Timeline};
pub use journal::{Carry, Change, Journal, Written};
pub use past::Past;
