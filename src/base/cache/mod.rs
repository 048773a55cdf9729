//! Frames of wires on disk: a folder with an index and a file for each frame, compressed, from which any frame is read
//! at once.
//!
//! - `index.json` says which wires a frame holds, how each is stored, and what they depend on ([`Index`]).
//! - `frame.NNNN.bake` is a frame. It begins with `SWBAKE`, a zero and the version; then follow the SHA-256 of all bytes after it, the
//!   hash of the cache that the frame belongs to ([`Index::identity`]), the number of the frame, the simulated time at its end (bits of a
//!   64-bit float), the number of parts (32 bits), and for each part its words, its compressed bytes and how many of its numbers are NaN
//!   or infinite. All are little-endian, of 64 bits where nothing else is said. Then the parts follow.
//! - A part is the memory of a wire, in words of 32 bits. The first bytes of all words come first, then the second ones and
//!   so on, which makes floats compressible; the result is one zstd frame with a checksum.
//!
//! - `state.NNNN.safetensors` is a checkpoint ([`STATES`]): all States after a frame, from which a bake continues.
//!
//! A file is written under another name first, so that a frame is there as a whole or not at all.

mod ahead;
mod codec;
mod error;
mod frame;
mod index;
mod read;
mod verify;
mod write;

pub use ahead::ReadAhead;
pub use error::CacheError;
pub use frame::Frame;
pub use index::{BakedPart, BakedWire, Index, Numbers, STATES};
use index::{FRAMES, INDEX, MAX_INDEX, MAX_PARTS, VERSION};
pub use read::Cache;
pub use write::{Kept, Writer, remove};

#[cfg(test)]
mod tests;
