//! Words as compressed bytes.

use std::io;

use zstd::zstd_safe::CParameter;

/// A fast level: a bake should wait for the simulation and not for this.
const LEVEL: i32 = 1;

/// Compresses words.
///
/// # Errors
/// No memory for it.
pub(super) fn pack(words: &[u32]) -> io::Result<Vec<u8>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    compressor.compress(&shuffle(words))
}

/// The words of compressed bytes, if there are exactly so many. No more memory is taken than they need.
///
/// # Errors
/// Bytes that are damaged, and any other number of words.
pub(super) fn unpack(bytes: &[u8], count: usize) -> io::Result<Vec<u32>> {
    if count == 0 && bytes.is_empty() {
        return Ok(Vec::new());
    }
    let length = count.checked_mul(4).ok_or_else(other)?;
    let planes = zstd::bulk::Decompressor::new()?.decompress(bytes, length)?;
    if planes.len() == length { Ok(unshuffle(&planes)) } else { Err(other()) }
}

fn other() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it has another length")
}

/// The first bytes of all words, then the second ones, and so on.
fn shuffle(words: &[u32]) -> Vec<u8> {
    let mut planes = vec![0; words.len() * 4];
    for (byte, plane) in planes.chunks_exact_mut(words.len()).enumerate() {
        for (to, word) in plane.iter_mut().zip(words) {
            *to = (word >> (8 * byte)) as u8;
        }
    }
    planes
}

fn unshuffle(planes: &[u8]) -> Vec<u32> {
    let count = planes.len() / 4;
    let mut words = vec![0; count];
    for (byte, plane) in planes.chunks_exact(count.max(1)).enumerate() {
        for (word, from) in words.iter_mut().zip(plane) {
            *word |= u32::from(*from) << (8 * byte);
        }
    }
    words
}
