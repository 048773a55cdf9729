//! The file of a frame: its header, which is compared with the index before any part is read, and its parts.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

use super::{Index, MAX_PARTS};

/// What a frame's file begins with.
pub(super) const MAGIC: [u8; 8] = *b"SWBAKE\0\x02";
/// Bytes before the sizes of the parts.
const HEADER: usize = 8 + 32 + 32 + 8 + 8 + 4;
/// Bytes of the sizes of a part.
const SIZES: usize = 24;

/// A frame of a cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Simulated time at its end \[s\].
    pub time: f64,
    /// The words of each part, in the order of the index. Of particles, only the live ones. Parts that nobody asked for are empty.
    pub parts: Vec<Vec<u32>>,
    /// How many numbers of each part are NaN or infinite.
    pub not_finite: Vec<u64>,
}

impl Frame {
    /// Memory that it takes \[bytes\].
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|words| words.len() as u64 * 4).sum()
    }
}

/// The beginning of a frame's file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    /// SHA-256 of all that follows it.
    pub hash: [u8; 32],
    /// [`Index::identity`] of the cache that it belongs to.
    pub cache: [u8; 32],
    pub frame: u64,
    pub time: f64,
    pub parts: Vec<Size>,
}

/// The sizes of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    pub words: u64,
    /// Compressed bytes.
    pub packed: u64,
    /// Numbers that are NaN or infinite.
    pub not_finite: u64,
}

impl Header {
    /// The bytes of a frame's file before its parts, which are given compressed. The hash is that of what is given here.
    pub(super) fn seal(mut self, packed: &[Vec<u8>]) -> Vec<u8> {
        let mut hash = Sha256::new().chain_update(self.hashed());
        packed.iter().for_each(|bytes| hash.update(bytes));
        self.hash = hash.finalize().into();
        [&MAGIC[..], &self.hash, &self.hashed()].concat()
    }

    /// The bytes behind the hash.
    fn hashed(&self) -> Vec<u8> {
        let mut bytes = self.cache.to_vec();
        bytes.extend(self.frame.to_le_bytes());
        bytes.extend(self.time.to_bits().to_le_bytes());
        bytes.extend((self.parts.len() as u32).to_le_bytes());
        for Size { words, packed, not_finite } in &self.parts {
            [words, packed, not_finite].into_iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        bytes
    }

    /// Reads the header of a file of this length, and nothing behind it.
    ///
    /// # Errors
    /// What is wrong, as the end of a sentence.
    pub(super) fn read(file: &mut impl Read, length: u64) -> Result<Header, String> {
        let mut begin = [0; HEADER];
        file.read_exact(&mut begin).map_err(|_| "it is too short".to_string())?;
        let [magic, hash, cache, frame, time, count] = split(&begin, [8, 32, 32, 8, 8, 4]);
        if magic != MAGIC {
            return Err("it is no frame of a cache, or one of another version".into());
        }
        let (count, after) = (number(count), HEADER as u64);
        if count > MAX_PARTS as u64 || after + count * SIZES as u64 > length {
            return Err("its sizes do not fit its length".into());
        }
        let mut sizes = vec![0; count as usize * SIZES];
        file.read_exact(&mut sizes).map_err(|_| "it is too short".to_string())?;
        let size = |bytes: &[u8]| {
            let [words, packed, not_finite] = split(bytes, [8, 8, 8]).map(number);
            Size { words, packed, not_finite }
        };
        let parts: Vec<Size> = sizes.chunks_exact(SIZES).map(size).collect();
        let after = after + count * SIZES as u64;
        let total = parts.iter().try_fold(after, |sum, part| sum.checked_add(part.packed));
        if total != Some(length) {
            return Err("its sizes do not fit its length".into());
        }
        let bytes = |bytes: &[u8]| bytes.try_into().unwrap_or_default();
        let time = f64::from_bits(number(time));
        Ok(Header { hash: bytes(hash), cache: bytes(cache), frame: number(frame), time, parts })
    }

    /// Checks that the header is that of a frame of a cache, and that its parts are as large as the index says.
    ///
    /// # Errors
    /// What does not fit, as the end of a sentence.
    pub(super) fn check(&self, index: &Index, identity: &[u8; 32], frame: u64) -> Result<(), String> {
        if self.cache != *identity {
            return Err("it belongs to another cache".into());
        }
        if self.frame != frame {
            return Err(format!("it holds frame {}", self.frame));
        }
        if !(self.time.is_finite() && self.time >= 0.0) {
            return Err("its time is out of range".into());
        }
        if self.parts.len() != index.parts().count() {
            return Err(format!("it holds {} parts", self.parts.len()));
        }
        // Before the first frame States alone have a value.
        let begins = frame + 1 == index.first;
        for (size, (wire, part)) in self.parts.iter().zip(index.placed()) {
            let fits = match (wire.capacity, begins && !wire.state) {
                (_, true) => size.words == 0,
                (0, _) => size.words == part.words,
                (..) if part.name == "count" => size.words == part.words,
                // As many as are alive, which is compared when the count was read.
                (capacity, _) => size.words <= part.words && size.words.is_multiple_of(each(part.words, capacity)),
            };
            if !fits {
                let is = format!("{} of {} has {} words", named(&part.name), wire.name, size.words);
                return Err(format!("{is}, and {} are right", part.words));
            }
            if size.packed > size.words.saturating_mul(4).saturating_add(size.words / 32).saturating_add(1024) {
                return Err(format!("{} of {} has more bytes than its words", named(&part.name), wire.name));
            }
        }
        Ok(())
    }

    /// Whether as many particles are alive as it has values for. `first` is the first word of a part.
    ///
    /// # Errors
    /// What does not fit, as the end of a sentence.
    pub(super) fn check_counts(&self, index: &Index, first: impl Fn(usize) -> Option<u32>) -> Result<(), String> {
        let mut begin = 0;
        for wire in &index.wires {
            let start = begin;
            let places = start..start + wire.parts.len();
            begin = places.end;
            let of = |place: usize| wire.parts.get(place - start);
            let count = places.clone().find(|place| of(*place).is_some_and(|part| part.name == "count"));
            let Some(live) = count.filter(|_| wire.capacity > 0).and_then(&first) else { continue };
            if live > wire.capacity {
                let name = &wire.name;
                return Err(format!("it holds {live} particles of {name}, and there is room for {}", wire.capacity));
            }
            for place in places {
                let (Some(part), Some(size)) = (of(place), self.parts.get(place)) else { continue };
                let right = u64::from(live) * each(part.words, wire.capacity);
                if part.name != "count" && size.words != right {
                    let is = format!("{} of {} has {} words", named(&part.name), wire.name, size.words);
                    return Err(format!("{is}, and {live} particles have {right}"));
                }
            }
        }
        Ok(())
    }
}

/// Words of a particle.
fn each(words: u64, capacity: u32) -> u64 {
    (words / u64::from(capacity.max(1))).max(1)
}

/// A part in a sentence.
fn named(part: &str) -> &str {
    if part.is_empty() { "the value" } else { part }
}

/// The parts of some bytes with these lengths.
fn split<const N: usize>(mut bytes: &[u8], lengths: [usize; N]) -> [&[u8]; N] {
    lengths.map(|length| {
        let (part, rest) = bytes.split_at(length.min(bytes.len()));
        bytes = rest;
        part
    })
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A file behind its header, whose bytes are hashed as they are read.
pub(super) struct Hashing<R> {
    file: R,
    hash: Sha256,
}

impl<R: Read> Hashing<R> {
    pub(super) fn new(file: R, header: &Header) -> Hashing<R> {
        Hashing { file, hash: Sha256::new().chain_update(header.hashed()) }
    }

    /// The hash of all that was read and of the header.
    pub(super) fn end(self) -> [u8; 32] {
        self.hash.finalize().into()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        self.hash.update(into.get(..count).unwrap_or_default());
        Ok(count)
    }
}
