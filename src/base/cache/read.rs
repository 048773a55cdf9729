//! Reading: the index, and frames in any order.

use std::fs::File;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::frame::{Frame, Hashing, Header, Size};
use super::{CacheError, FRAMES, INDEX, Index, MAX_INDEX, STATES, VERSION, codec};
use crate::files::numbered::MAX_FRAME;
use crate::files::{ReadError, read};

/// A cache that can be read.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    index: Index,
    identity: [u8; 32],
    frames: Option<RangeInclusive<u64>>,
    bytes: u64,
    /// The parts that frames are read with; all when `None`.
    wanted: Option<Vec<usize>>,
}

/// What every version of the index has.
#[derive(Deserialize)]
struct Kind {
    version: u32,
    #[serde(default)]
    program: String,
}

impl Cache {
    /// Reads the index of the cache in a folder, and which frames are there. No frame is read.
    ///
    /// # Errors
    /// No cache, or one that is damaged or of another version.
    pub fn open(folder: &Path) -> Result<Cache, CacheError> {
        let path = folder.join(INDEX);
        let bytes = read::bytes_without_links(&path, MAX_INDEX).map_err(|error| match error {
            ReadError::Missing => CacheError::Missing(folder.into()),
            error => CacheError::File { path: path.clone(), doing: "read", cause: error.to_string() },
        })?;
        let index = parse(&bytes, &path)?;
        let (frames, states) = (FRAMES.present(folder), STATES.present(folder));
        let bytes = frames.iter().chain(&states).map(|(_, bytes)| bytes).sum();
        let present = frames.iter().filter(|(frame, _)| (index.begin()..=index.last).contains(frame));
        let whole = (index.begin()..).zip(present).take_while(|(wanted, (frame, _))| wanted == frame).count() as u64;
        // Without the frame that a State starts from.
        let whole = whole.saturating_sub(index.first - index.begin());
        let frames = (whole > 0).then(|| index.first..=index.first + whole - 1);
        let identity = index.identity();
        Ok(Cache { folder: folder.into(), index, identity, frames, bytes, wanted: None })
    }

    /// Restricts the cache to some parts of its frames. The others take no memory, whatever their size.
    #[must_use]
    pub fn with_parts(self, mut wanted: Vec<usize>) -> Cache {
        wanted.sort_unstable();
        wanted.dedup();
        Cache { wanted: Some(wanted), ..self }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Index of the cache: what it holds.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The parts that frames are read with; all when `None`.
    pub fn wanted(&self) -> Option<&[usize]> {
        self.wanted.as_deref()
    }

    /// The frames that are there, without a gap; `None` where there are none.
    pub fn frames(&self) -> Option<RangeInclusive<u64>> {
        self.frames.clone()
    }

    /// All frames with a file, in order: also the one that a State starts from, and those behind a gap.
    pub fn present(&self) -> Vec<u64> {
        let range = self.index.begin()..=self.index.last;
        FRAMES.present(&self.folder).into_iter().map(|(frame, _)| frame).filter(|frame| range.contains(frame)).collect()
    }

    /// Size on disk, with the checkpoints beside the frames \[bytes\].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Simulated time at the end of a frame \[s\], if the frame is there.
    pub fn time(&self, frame: u64) -> Option<f64> {
        Some(self.header(frame).ok()?.1.time)
    }

    /// The hash of a frame that its file says, if the frame is there.
    pub fn hash(&self, frame: u64) -> Option<[u8; 32]> {
        Some(self.header(frame).ok()?.1.hash)
    }

    /// Reads a frame. A State's value is also there for the frame before the first.
    ///
    /// # Errors
    /// A frame that is missing, damaged, or of another cache.
    pub fn frame(&self, frame: u64) -> Result<Frame, CacheError> {
        let mut parts = Vec::new();
        let keep = |wanted: bool, part: &mut dyn Read, size: &Size| match wanted {
            false => io::copy(part, &mut io::sink()).map(|_| None),
            true => {
                // Its size was compared with that of its words.
                let mut bytes = Vec::new();
                part.read_to_end(&mut bytes)?;
                codec::unpack(&bytes, size.words as usize).map(Some)
            }
        };
        let header = self.scan(frame, |place, part, size| {
            let wanted = self.wanted.as_ref().is_none_or(|wanted| wanted.contains(&place));
            let words = keep(wanted, part, size)?;
            let first = words.as_ref().and_then(|words| words.first().copied());
            parts.push(words.unwrap_or_default());
            Ok(first)
        })?;
        let not_finite = header.parts.iter().map(|size| size.not_finite).collect();
        Ok(Frame { time: header.time, parts, not_finite })
    }

    /// Goes through the parts of a frame. `take` reads all bytes of one, and returns its first word where it knows it. The error is
    /// also that of a header that does not fit the index, of counts that do not fit the sizes, and of bytes that do not match the hash.
    pub(super) fn scan(
        &self,
        frame: u64,
        mut take: impl FnMut(usize, &mut dyn Read, &Size) -> io::Result<Option<u32>>,
    ) -> Result<Header, CacheError> {
        let path = FRAMES.path(&self.folder, frame);
        let damaged = |cause: String| CacheError::Damaged { path: path.clone(), cause };
        let (file, header) = self.header(frame)?;
        let mut file = Hashing::new(file, &header);
        let mut first = Vec::new();
        for (place, size) in header.parts.iter().enumerate() {
            let mut part = (&mut file).take(size.packed);
            first.push(take(place, &mut part, size).map_err(|error| damaged(error.to_string()))?);
            // What a decoder has left.
            io::copy(&mut part, &mut io::sink()).map_err(|error| damaged(error.to_string()))?;
        }
        if file.end() != header.hash {
            return Err(damaged("its contents do not match their hash".into()));
        }
        header.check_counts(&self.index, |place| first.get(place).copied().flatten()).map_err(damaged)?;
        Ok(header)
    }

    /// A frame's file behind its header, and the header, which fits the index.
    fn header(&self, frame: u64) -> Result<(File, Header), CacheError> {
        let path = FRAMES.path(&self.folder, frame);
        let (mut file, length) = read::open_without_links(&path).map_err(|error| match error {
            ReadError::Missing => CacheError::Frame { path: self.folder.clone(), frame },
            error => CacheError::File { path: path.clone(), doing: "read", cause: error.to_string() },
        })?;
        let header = Header::read(&mut file, length);
        let checked = header.and_then(|header| header.check(&self.index, &self.identity, frame).map(|()| header));
        checked.map(|header| (file, header)).map_err(|cause| CacheError::Damaged { path, cause })
    }
}

/// The index of a file.
fn parse(bytes: &[u8], path: &Path) -> Result<Index, CacheError> {
    let damaged = |cause: String| CacheError::Damaged { path: path.into(), cause };
    let Kind { version, program } = serde_json::from_slice(bytes).map_err(|e| damaged(e.to_string()))?;
    if version != VERSION {
        let remedy = if version > VERSION { "update Stagewright, or bake it again" } else { "bake it again" };
        return Err(CacheError::Version { path: path.into(), program, remedy });
    }
    let index: Index = serde_json::from_slice(bytes).map_err(|e| damaged(e.to_string()))?;
    if index.first == 0 || index.last < index.first || index.last > MAX_FRAME {
        return Err(damaged(format!("it has no frames {}-{}", index.first, index.last)));
    }
    Ok(index)
}
