//! Checkpoints and cache frames taken apart, changed, and put together again with right hashes and checksums, as somebody would who
//! wants them to be believed.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A checkpoint: what its header says, and the bytes of its tensors.
#[derive(Clone)]
pub struct Checkpoint {
    /// The tensors, without texts.
    pub tensors: Map<String, Value>,
    /// The text about what made them.
    pub about: Value,
    pub data: Vec<u8>,
}

impl Checkpoint {
    pub fn parse(bytes: &[u8]) -> Checkpoint {
        let size = u64::from_le_bytes(bytes[..8].try_into().expect("a length")) as usize;
        let mut tensors: Map<String, Value> = serde_json::from_slice(&bytes[8..8 + size]).expect("a header");
        let texts = tensors.remove("__metadata__").expect("texts");
        let about = serde_json::from_str(texts["stagewright"].as_str().expect("a text")).expect("JSON");
        Checkpoint { tensors, about, data: bytes[8 + size..].to_vec() }
    }

    /// The bytes of a tensor, where its offsets are valid.
    fn bytes(&self, name: &str) -> Option<&[u8]> {
        let offsets = self.tensors.get(name)?.get("data_offsets")?;
        let offset = |index: usize| Some(offsets.get(index)?.as_u64()? as usize);
        self.data.get(offset(0)?..offset(1)?)
    }

    /// Takes a State out, so that those left are one after the other.
    pub fn remove(&mut self, name: &str) {
        let mut kept: Vec<(String, Vec<u8>)> = Vec::new();
        for other in self.tensors.keys().filter(|other| *other != name) {
            kept.push((other.clone(), self.bytes(other).map(<[u8]>::to_vec).unwrap_or_default()));
        }
        self.tensors.remove(name);
        if let Some(states) = self.about.get_mut("states").and_then(Value::as_object_mut) {
            states.remove(name);
        }
        self.data.clear();
        for (other, bytes) in kept {
            let begin = self.data.len();
            self.data.extend(bytes);
            self.tensors[&other]["data_offsets"] = serde_json::json!([begin, self.data.len()]);
        }
    }

    /// The file, with right hashes.
    pub fn sealed(&self) -> Vec<u8> {
        let mut about = self.about.clone();
        for (name, state) in about.get_mut("states").and_then(Value::as_object_mut).into_iter().flatten() {
            if let (Some(bytes), Some(state)) = (self.bytes(name), state.as_object_mut()) {
                state.insert("sha256".into(), hexadecimal(&Sha256::digest(bytes)).into());
            }
        }
        self.with_texts(&about.to_string())
    }

    /// The file with another text about what made the tensors.
    pub fn with_texts(&self, about: &str) -> Vec<u8> {
        let mut header = self.tensors.clone();
        header.insert("__metadata__".into(), serde_json::json!({ "sha256": NO_HASH, "stagewright": about }));
        with_header(&Value::Object(header).to_string(), &self.data)
    }
}

/// A checkpoint with this header, whose hash is put where it belongs.
pub fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    let wanted = format!("\"sha256\":\"{NO_HASH}\"");
    if let Some(at) = bytes.windows(wanted.len()).position(|part| part == wanted.as_bytes()) {
        let hash = hexadecimal(&Sha256::digest(&bytes));
        let start = at + wanted.len() - 1 - hash.len();
        bytes[start..start + hash.len()].copy_from_slice(hash.as_bytes());
    }
    bytes.extend(data);
    bytes
}

/// Bytes of a frame before its number: magic, hash, cache.
const BEGIN: usize = 8 + 32 + 32;

/// A frame of a cache.
#[derive(Clone)]
pub struct Frame {
    pub cache: [u8; 32],
    pub frame: u64,
    pub time: f64,
    /// The words of each part.
    pub parts: Vec<Vec<u32>>,
}

impl Frame {
    pub fn parse(bytes: &[u8]) -> Frame {
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("a number"));
        let count = u32::from_le_bytes(bytes[BEGIN + 16..BEGIN + 20].try_into().expect("a count")) as usize;
        let sizes = BEGIN + 20;
        let mut at = sizes + 24 * count;
        let mut parts = Vec::new();
        for part in 0..count {
            let [words, packed] = [0, 8].map(|to| number(sizes + 24 * part + to) as usize);
            let planes = match packed {
                0 => Vec::new(),
                _ => zstd::bulk::decompress(&bytes[at..at + packed], 4 * words).expect("a part"),
            };
            let byte = |word: usize, plane: usize| u32::from(planes[plane * words + word]) << (8 * plane);
            parts.push((0..words).map(|word| (0..4).map(|plane| byte(word, plane)).sum()).collect());
            at += packed;
        }
        let cache = bytes[40..72].try_into().expect("a hash");
        Frame { cache, frame: number(BEGIN), time: f64::from_bits(number(BEGIN + 8)), parts }
    }

    /// The file, with right hashes and checksums. `lies` are added to the number of words and of bytes that each part is said to have.
    pub fn sealed(&self, lies: [u64; 2]) -> Vec<u8> {
        let mut after = self.cache.to_vec();
        after.extend(self.frame.to_le_bytes());
        after.extend(self.time.to_bits().to_le_bytes());
        after.extend((self.parts.len() as u32).to_le_bytes());
        let packed: Vec<Vec<u8>> = self.parts.iter().map(|words| pack(words)).collect();
        for (words, packed) in self.parts.iter().zip(&packed) {
            let [words, bytes] = [words.len() as u64, packed.len() as u64];
            let numbers = [words.wrapping_add(lies[0]), bytes.wrapping_add(lies[1]), 0];
            numbers.into_iter().for_each(|number| after.extend(number.to_le_bytes()));
        }
        packed.iter().for_each(|bytes| after.extend(bytes));
        sealed_frame(&after)
    }
}

/// The file of a frame from what follows its hash.
pub fn sealed_frame(after: &[u8]) -> Vec<u8> {
    [b"SWBAKE\0\x02", &Sha256::digest(after)[..], after].concat()
}

fn pack(words: &[u32]) -> Vec<u8> {
    if words.is_empty() {
        return Vec::new();
    }
    let planes: Vec<u8> = (0..4).flat_map(|plane| words.iter().map(move |word| (word >> (8 * plane)) as u8)).collect();
    let mut compressor = zstd::bulk::Compressor::new(1).expect("a compressor");
    compressor.include_checksum(true).expect("a checksum");
    compressor.compress(&planes).expect("compresses")
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
