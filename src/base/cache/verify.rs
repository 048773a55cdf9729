//! Verification of all frames: every byte is read, and nothing is kept.

use std::io::{self, Read};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::frame::Size;
use super::{Cache, CacheError};

/// Limit of threads that read.
const MAX_THREADS: usize = 16;
/// Bytes that are decoded at once.
const CHUNK: usize = 1 << 16;

impl Cache {
    /// Reads a frame as a whole: its header, the checksum of each part, its hash. Returns the wires with NaN or infinity in it, and how
    /// many numbers of each are.
    ///
    /// # Errors
    /// A frame that is missing, damaged, or of another cache.
    pub fn verify(&self, frame: u64) -> Result<Vec<(String, u64)>, CacheError> {
        let header = self.scan(frame, |_, part, size| decoded(part, size))?;
        let mut bad: Vec<(String, u64)> = Vec::new();
        let parts = header.parts.iter().zip(self.index().placed());
        for (size, (wire, _)) in parts.filter(|(size, _)| size.not_finite > 0) {
            match bad.last_mut().filter(|(name, _)| *name == wire.name) {
                Some((_, count)) => *count += size.not_finite,
                None => bad.push((wire.name.clone(), size.not_finite)),
            }
        }
        Ok(bad)
    }

    /// Verifies many frames, on several threads. `done` is called with each, in no order.
    pub fn verify_all(&self, frames: &[u64], done: impl FnMut(u64, Result<Vec<(String, u64)>, CacheError>) + Send) {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).clamp(1, MAX_THREADS);
        let (next, done) = (AtomicUsize::new(0), Mutex::new(done));
        let work = || {
            while let Some(frame) = frames.get(next.fetch_add(1, Ordering::Relaxed)) {
                let found = self.verify(*frame);
                (done.lock().unwrap_or_else(PoisonError::into_inner))(*frame, found);
            }
        };
        std::thread::scope(|scope| {
            (1..threads.min(frames.len())).for_each(|_| drop(scope.spawn(work)));
            work();
        });
    }
}

/// Decodes a part, and drops all of it but its first word. The error is also that of another length.
fn decoded(part: &mut dyn Read, size: &Size) -> io::Result<Option<u32>> {
    let other = || io::Error::new(io::ErrorKind::InvalidData, "it has another length");
    if size.words == 0 && size.packed == 0 {
        return Ok(None);
    }
    let mut decoder = zstd::stream::read::Decoder::new(part)?;
    let (mut chunk, mut total) = (vec![0; CHUNK], 0u64);
    let length = size.words.checked_mul(4).ok_or_else(other)?;
    // The first word has a byte in each of the four planes.
    let planes: [u64; 4] = [0, 1, 2, 3].map(|plane| plane * size.words);
    let mut first = [0u8; 4];
    loop {
        let count = decoder.read(&mut chunk)?;
        if count == 0 {
            break;
        }
        for (byte, plane) in first.iter_mut().zip(planes) {
            let at = plane.checked_sub(total).and_then(|at| chunk.get(..count)?.get(usize::try_from(at).ok()?));
            *byte = at.copied().unwrap_or(*byte);
        }
        total += count as u64;
        if total > length {
            return Err(other());
        }
    }
    if total == length { Ok(Some(u32::from_le_bytes(first))) } else { Err(other()) }
}
