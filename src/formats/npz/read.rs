//! Particles in an NPZ file: a zip archive of NumPy arrays, one for each attribute.
//! Source: PKWARE, APPNOTE.TXT, 6.3.10; numpy.savez and numpy.savez_compressed.

use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::layout::{END, ENTRY};
use crate::content::{Content, Source};
use crate::cursor::Cursor;
use crate::error::Cause;
use crate::limits::MAX_FILE;
use crate::malformed::FormatName;
use crate::npy::read::{Header, add};
use crate::points::Points;
use crate::work::Work;

/// Limit of arrays.
const MAX_ARRAYS: usize = 256;
/// The end of the directory without its comment, and the longest comment \[bytes\].
const END_SIZE: usize = 22;
const MAX_COMMENT: usize = 65_535;
/// Bytes that are decompressed between two checks for cancelling.
const CHUNK: u64 = 4 << 20;

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("NPZ");

/// Reads a file.
///
/// # Errors
/// Errors of [`points`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    points(&file.bytes, file.layer, file.work).map(Content::Points)
}

/// A file of the archive.
struct Entry {
    name: String,
    method: u16,
    crc: u32,
    /// Position of its header, its size as stored, and its size \[bytes\].
    offset: usize,
    stored: usize,
    size: usize,
}

/// The points whose places are the array `position`. `set` names one of several sets, whose arrays are `SET.position` and so on.
///
/// # Errors
/// An invalid or truncated archive, one without positions, too much data; noticed before memory is allocated for it.
pub(crate) fn points(bytes: &[u8], set: Option<&str>, work: &Work) -> Result<Points, Cause> {
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
        let available: Vec<&str> = entries.iter().filter_map(|entry| entry.name.strip_suffix(".npy")).take(8).collect();
        return Err(Cause::NoPosition {
            wanted: format!("{prefix}position").into(),
            available: available.join(", ").into(),
        });
    }
    let total = named.iter().try_fold(0u64, |all, (_, entry)| all.checked_add(entry.size as u64));
    if total.is_none_or(|total| total > MAX_FILE) {
        return Err(Cause::TooLarge(MAX_FILE));
    }
    let mut points = Points { kind: NAME, count: 0, properties: Vec::new(), blocks: Vec::new(), warnings: Vec::new() };
    for (index, (name, entry)) in named.into_iter().enumerate() {
        let data = unpacked(bytes, entry, work)?;
        let header = Header::read(&data)?;
        if index == 0 {
            let [count, 2..=4] = header.shape[..] else { return Err(Cause::PointAxes(header.shape.len())) };
            points.count = count;
        }
        add(&mut points, &name, &header, data)?;
    }
    Ok(points)
}

/// The files of the archive, as the directory at its end lists them.
fn directory(bytes: &[u8]) -> Result<Vec<Entry>, Cause> {
    if !bytes.starts_with(b"PK") {
        return Err(NAME.malformed("it does not begin as one"));
    }
    let tail = bytes.len().saturating_sub(END_SIZE + MAX_COMMENT);
    let last = bytes.get(tail..).unwrap_or_default();
    let end = last.windows(END_SIZE).rposition(|window| window.starts_with(END)).ok_or_else(|| NAME.cut_off())? + tail;
    let file = Cursor::new(NAME, bytes);
    let (count, start) = (file.at_position(end + 10)?.u16()?, file.at_position(end + 16)?.u32()? as usize);
    if usize::from(count) > MAX_ARRAYS {
        return Err(Cause::Parts("arrays", MAX_ARRAYS));
    }
    let mut rest = Cursor::new(NAME, bytes.get(start..end).ok_or_else(|| NAME.cut_off())?);
    let mut entries = Vec::new();
    for _ in 0..count {
        if !rest.begins_with(ENTRY) {
            return Err(NAME.malformed("its directory is damaged"));
        }
        // Versions and flags, then the time of the last change.
        rest.take(6)?;
        let method = rest.u16()?;
        rest.take(4)?;
        let crc = rest.u32()?;
        let (stored, size) = (rest.u32()? as usize, rest.u32()? as usize);
        let (length, more) = (rest.u16()?, usize::from(rest.u16()?) + usize::from(rest.u16()?));
        // The disk, and attributes.
        rest.take(8)?;
        let offset = rest.u32()? as usize;
        let name = String::from_utf8_lossy(rest.take(length.into())?).into_owned();
        rest.take(more)?;
        entries.push(Entry { name, method, crc, offset, stored, size });
    }
    Ok(entries)
}

/// The contents of a file.
fn unpacked(bytes: &[u8], entry: &Entry, work: &Work) -> Result<Vec<u8>, Cause> {
    let mut header = Cursor::new(NAME, bytes).at_position(entry.offset)?;
    header.take(26)?;
    let skipped = usize::from(header.u16()?) + usize::from(header.u16()?);
    header.take(skipped)?;
    let data = header.take(entry.stored)?;
    let mut unpacked = Vec::new();
    match entry.method {
        0 => unpacked.extend(data.get(..entry.size).ok_or_else(|| NAME.cut_off())?),
        8 => {
            // The memory grows with what is there, not with what the directory says.
            let mut reader = DeflateDecoder::new(data).take(entry.size as u64);
            while reader.by_ref().take(CHUNK).read_to_end(&mut unpacked).map_err(|e| NAME.malformed(e.to_string()))? > 0
            {
                work.go_on(0)?;
            }
        }
        method => return Err(Cause::Unsupported(format!("the compression method {method}").into())),
    }
    let mut crc = Crc::new();
    crc.update(&unpacked);
    if unpacked.len() != entry.size || crc.sum() != entry.crc {
        return Err(NAME.malformed("its data are damaged"));
    }
    Ok(unpacked)
}
