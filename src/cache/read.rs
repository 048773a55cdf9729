//! Reading: the index, and frames in any order.

use std::io::{Read, Seek, SeekFrom};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::{CacheError, FRAMES, INDEX, Index, MAX_INDEX, MAX_PARTS, STATES, VERSION, codec};
use crate::files::{ReadError, read};

/// What a frame's file begins with.
pub(super) const MAGIC: [u8; 8] = *b"SWBAKE\0\x01";
/// Bytes before the sizes of the parts.
const HEADER: u64 = 8 + 8 + 8 + 4;
/// Bytes of the sizes of a part.
const SIZES: u64 = 16;

/// A cache that can be read.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    index: Index,
    frames: Option<RangeInclusive<u64>>,
    bytes: u64,
}

/// A frame of a cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Simulated time at its end \[s\].
    pub time: f64,
    /// The words of each part, in the order of the index. Of particles, only the live ones.
    pub parts: Vec<Vec<u32>>,
}

impl Frame {
    /// Memory that it takes \[bytes\].
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|words| words.len() as u64 * 4).sum()
    }
}

impl Cache {
    /// Reads the index of the cache in a folder, and which frames are there. No frame is read.
    ///
    /// # Errors
    /// No cache, or one that is damaged or too new.
    pub fn open(folder: &Path) -> Result<Cache, CacheError> {
        let path = folder.join(INDEX);
        let bytes = read::bytes_without_links(&path, MAX_INDEX).map_err(|error| match error {
            ReadError::Missing => CacheError::Missing(folder.into()),
            error => CacheError::File { path: path.clone(), doing: "read", cause: error.to_string() },
        })?;
        let damaged = |cause: String| CacheError::Damaged { path: path.clone(), cause };
        let index: Index = serde_json::from_slice(&bytes).map_err(|e| damaged(e.to_string()))?;
        if index.version > VERSION {
            return Err(CacheError::Newer { path, program: index.program });
        }
        if index.parts().count() > MAX_PARTS {
            return Err(damaged(format!("it has more than {MAX_PARTS} parts")));
        }
        if index.first == 0 || index.last < index.first {
            return Err(damaged(format!("it has no frames {}-{}", index.first, index.last)));
        }
        let (frames, states) = (FRAMES.present(folder), STATES.present(folder));
        let bytes = frames.iter().chain(&states).map(|(_, bytes)| bytes).sum();
        let present = frames.iter().filter(|(frame, _)| (index.begin()..=index.last).contains(frame));
        let whole = (index.begin()..).zip(present).take_while(|(wanted, (frame, _))| wanted == frame).count() as u64;
        // Without the frame that a State starts from.
        let whole = whole.saturating_sub(index.first - index.begin());
        let frames = (whole > 0).then(|| index.first..=index.first + whole - 1);
        Ok(Cache { folder: folder.into(), index, frames, bytes })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it holds.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The frames that are there, without a gap; `None` where there are none.
    pub fn frames(&self) -> Option<RangeInclusive<u64>> {
        self.frames.clone()
    }

    /// Size on disk, with the checkpoints beside the frames \[bytes\].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Simulated time at the end of a frame \[s\], if the frame is there.
    pub fn time(&self, frame: u64) -> Option<f64> {
        let (mut file, length) = read::open_without_links(&FRAMES.path(&self.folder, frame)).ok()?;
        Some(Header::read(&mut file, length).ok()?.time)
    }

    /// Reads a frame. A State's value is also there for the frame before the first.
    ///
    /// # Errors
    /// A frame that is missing or damaged.
    pub fn frame(&self, frame: u64) -> Result<Frame, CacheError> {
        let path = FRAMES.path(&self.folder, frame);
        let fault = |error: ReadError| match error {
            ReadError::Missing => CacheError::Frame { path: self.folder.clone(), frame },
            error => CacheError::File { path: path.clone(), doing: "read", cause: error.to_string() },
        };
        let damaged = |cause: String| CacheError::Damaged { path: path.clone(), cause };
        let (mut file, length) = read::open_without_links(&path).map_err(fault)?;
        let header = Header::read(&mut file, length).map_err(damaged)?;
        if header.frame != frame {
            return Err(damaged(format!("it holds frame {}", header.frame)));
        }
        if header.sizes.len() != self.index.parts().count() {
            return Err(damaged(format!("it holds {} parts", header.sizes.len())));
        }
        let mut parts = Vec::with_capacity(header.sizes.len());
        for ((words, packed), part) in header.sizes.iter().zip(self.index.parts()) {
            if *words > part.words {
                return Err(damaged(format!("{} has {words} words, and at most {} fit", part.stored, part.words)));
            }
            // No more than the file has.
            let mut bytes = vec![0; *packed as usize];
            file.read_exact(&mut bytes).map_err(|error| fault(error.into()))?;
            parts.push(codec::unpack(&bytes, *words as usize).map_err(|error| damaged(error.to_string()))?);
        }
        Ok(Frame { time: header.time, parts })
    }

    /// Whether the frame's file is complete, as far as its sizes tell.
    pub(super) fn is_whole(&self, frame: u64) -> bool {
        let Ok((mut file, length)) = read::open_without_links(&FRAMES.path(&self.folder, frame)) else { return false };
        Header::read(&mut file, length)
            .is_ok_and(|header| header.frame == frame && header.sizes.len() == self.index.parts().count())
    }
}

/// The beginning of a frame's file.
struct Header {
    frame: u64,
    time: f64,
    /// Words and compressed bytes of each part.
    sizes: Vec<(u64, u64)>,
}

impl Header {
    fn read(file: &mut (impl Read + Seek), length: u64) -> Result<Header, String> {
        let mut begin = [0; HEADER as usize];
        file.read_exact(&mut begin).map_err(|_| "it is too short".to_string())?;
        let word = |at: usize| {
            let bytes = begin.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
            u64::from_le_bytes(bytes)
        };
        if begin.get(..8) != Some(&MAGIC[..]) {
            return Err("it is no frame of a cache".into());
        }
        let count = begin.get(24..28).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes);
        if count as usize > MAX_PARTS || HEADER + u64::from(count) * SIZES > length {
            return Err("its sizes do not fit its length".into());
        }
        let mut sizes = vec![0; count as usize * SIZES as usize];
        file.read_exact(&mut sizes).map_err(|_| "it is too short".to_string())?;
        let numbers = sizes.chunks_exact(8).filter_map(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)));
        let numbers: Vec<u64> = numbers.collect();
        let sizes: Vec<(u64, u64)> =
            numbers.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
        let after = HEADER + u64::from(count) * SIZES;
        let total = sizes.iter().try_fold(after, |sum, (_, packed)| sum.checked_add(*packed));
        if total != Some(length) {
            return Err("its sizes do not fit its length".into());
        }
        file.seek(SeekFrom::Start(after)).map_err(|error| error.to_string())?;
        Ok(Header { frame: word(8), time: f64::from_bits(word(16)), sizes })
    }
}
