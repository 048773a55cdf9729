//! The bytes of a file.

use std::io::Read;
use std::path::Path;

use super::error::Cause;
use super::limits::MAX_FILE;
use super::work::{Phase, Work};
use stagewright_base::files::read as regular;

/// Bytes that are read between two checks for cancelling.
const CHUNK: u64 = 4 << 20;

/// A whole regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64, work: &Work) -> Result<Vec<u8>, Cause> {
    let (file, length) = regular::open(path)?;
    if length > limit { Err(Cause::TooLarge(limit)) } else { read_start(file, length, work) }
}

/// The first bytes of an open file, as many as it has up to `count`.
pub(super) fn read_start(file: std::fs::File, count: u64, work: &Work) -> Result<Vec<u8>, Cause> {
    let failed = |e: std::io::Error| Cause::Unreadable(e.to_string().into());
    work.begin(Phase::Reading, count)?;
    let mut bytes = Vec::new();
    let room = usize::try_from(count).map_err(|_| Cause::TooLarge(MAX_FILE))?;
    bytes.try_reserve_exact(room).map_err(|_| Cause::Unreadable("there is not enough memory for it".into()))?;
    // It may grow while it is read.
    let mut file = file.take(count);
    loop {
        let count = file.by_ref().take(CHUNK).read_to_end(&mut bytes).map_err(failed)?;
        work.go_on(count as u64)?;
        if count == 0 {
            return Ok(bytes);
        }
    }
}
