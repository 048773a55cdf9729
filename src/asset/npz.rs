//! Particles in an NPZ file: a zip archive of NumPy arrays, one for each attribute.
//! Source: PKWARE, APPNOTE.TXT, 6.3.10; numpy.savez and numpy.savez_compressed.

use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::error::{Cause, Text};
use super::npy::{self, Header};
use super::particles::Points;
use super::{MAX_FILE, Work};

/// Limit of arrays.
const MAX_ARRAYS: usize = 256;
/// The end of the directory without its comment, and the longest comment \[bytes\].
const END: usize = 22;
const MAX_COMMENT: usize = 65_535;
/// Bytes that are decompressed between two checks for cancelling.
const CHUNK: u64 = 4 << 20;

fn broken(message: impl Into<Text>) -> Cause {
    Cause::broken("NPZ", message)
}

fn cut() -> Cause {
    broken("it is cut off")
}

/// A file of the archive.
struct Entry {
    name: String,
    method: u16,
    crc: u32,
    /// Where its header is, its size as stored, and its size \[bytes\].
    offset: usize,
    stored: usize,
    size: usize,
}

/// The points whose places are the array `position`. `set` names one of several sets, whose arrays are `SET.position` and so on.
///
/// # Errors
/// An invalid or truncated archive, one without positions, too much data; noticed before memory is allocated for it.
pub(super) fn points(bytes: &[u8], set: Option<&str>, work: &Work) -> Result<Points, Cause> {
    let prefix = set.map(|set| format!("{set}.")).unwrap_or_default();
    let entries = directory(bytes)?;
    let attribute = |entry: &Entry| {
        let name = entry.name.strip_suffix(".npy")?.strip_prefix(prefix.as_str())?;
        (!name.contains('.')).then(|| name.to_string())
    };
    let mut named: Vec<(String, &Entry)> = entries.iter().filter_map(|e| Some((attribute(e)?, e))).collect();
    // Positions say how many points there are.
    named.sort_by_key(|(name, _)| name != "position");
    if named.first().is_none_or(|(name, _)| name != "position") {
        let known: Vec<&str> = entries.iter().filter_map(|entry| entry.name.strip_suffix(".npy")).take(8).collect();
        return Err(Cause::NoPosition { wanted: format!("{prefix}position").into(), known: known.join(", ").into() });
    }
    let total = named.iter().try_fold(0u64, |all, (_, entry)| all.checked_add(entry.size as u64));
    if total.is_none_or(|total| total > MAX_FILE) {
        return Err(Cause::TooLarge(MAX_FILE));
    }
    let mut points = Points { kind: "NPZ", count: 0, properties: Vec::new(), blocks: Vec::new(), warnings: Vec::new() };
    for (index, (name, entry)) in named.into_iter().enumerate() {
        let data = unpacked(bytes, entry, work)?;
        let header = Header::read(&data)?;
        if index == 0 {
            let [count, 2..=4] = header.shape[..] else { return Err(Cause::PointAxes(header.shape.len())) };
            points.count = count;
        }
        npy::add(&mut points, &name, &header, data)?;
    }
    Ok(points)
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize)
}

/// The files of the archive, as the directory at its end lists them.
fn directory(bytes: &[u8]) -> Result<Vec<Entry>, Cause> {
    if !bytes.starts_with(b"PK") {
        return Err(broken("it does not begin as one"));
    }
    let tail = bytes.len().saturating_sub(END + MAX_COMMENT);
    let last = bytes.get(tail..).unwrap_or_default();
    let end = last.windows(END).rposition(|window| window.starts_with(b"PK\x05\x06")).ok_or_else(cut)? + tail;
    let (count, start) = short(bytes, end + 10).zip(long(bytes, end + 16)).ok_or_else(cut)?;
    if usize::from(count) > MAX_ARRAYS {
        return Err(Cause::Parts("arrays", MAX_ARRAYS));
    }
    let mut rest = bytes.get(start..end).ok_or_else(cut)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        if !rest.starts_with(b"PK\x01\x02") {
            return Err(broken("its directory is damaged"));
        }
        let entry = || {
            let length = usize::from(short(rest, 28)?);
            let more = usize::from(short(rest, 30)?) + usize::from(short(rest, 32)?);
            let name = String::from_utf8_lossy(rest.get(46..46 + length)?).into_owned();
            let (stored, size, offset) = (long(rest, 20)?, long(rest, 24)?, long(rest, 42)?);
            let entry = Entry { name, method: short(rest, 10)?, crc: long(rest, 16)? as u32, offset, stored, size };
            Some((entry, rest.get(46 + length + more..)?))
        };
        let (entry, after) = entry().ok_or_else(cut)?;
        rest = after;
        entries.push(entry);
    }
    Ok(entries)
}

/// The contents of a file.
fn unpacked(bytes: &[u8], entry: &Entry, work: &Work) -> Result<Vec<u8>, Cause> {
    let data = || {
        let header = bytes.get(entry.offset..)?;
        let skipped = 30 + usize::from(short(header, 26)?) + usize::from(short(header, 28)?);
        header.get(skipped..)?.get(..entry.stored)
    };
    let data = data().ok_or_else(cut)?;
    let mut unpacked = Vec::new();
    match entry.method {
        0 => unpacked.extend(data.get(..entry.size).ok_or_else(cut)?),
        8 => {
            // The memory grows with what is there, not with what the directory says.
            let mut reader = DeflateDecoder::new(data).take(entry.size as u64);
            while reader.by_ref().take(CHUNK).read_to_end(&mut unpacked).map_err(|e| broken(e.to_string()))? > 0 {
                work.go_on(0)?;
            }
        }
        method => return Err(Cause::Unsupported(format!("the compression method {method}").into())),
    }
    let mut crc = Crc::new();
    crc.update(&unpacked);
    if unpacked.len() != entry.size || crc.sum() != entry.crc {
        return Err(broken("its data are damaged"));
    }
    Ok(unpacked)
}
