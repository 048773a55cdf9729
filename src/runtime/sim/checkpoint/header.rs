//! The header of a checkpoint: JSON behind its length in 64 bits, with a list of the tensors and two texts. `stagewright` is [`About`]
//! with the hash of each tensor, and `sha256` is the hash of the whole header, in which its own digits are zeros.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::ops::Range;

use safetensors::Dtype;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{About, VERSION};
use crate::files::numbered::MAX_FRAME;

/// Name of the text in the header that holds [`About`].
pub(super) const ABOUT: &str = "stagewright";
/// Name of the hash of the header.
pub(super) const HASH: &str = "sha256";
/// The digits of the hash before it is known.
pub(super) const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Limit of a header \[bytes\].
pub(super) const MAX_HEADER: u64 = 32 << 20;
/// Limit of tensors.
const MAX_TENSORS: usize = 10_000;
/// Bytes of the length.
const LENGTH: u64 = 8;

/// A header whose hash, sizes and frame are right.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub about: About,
    pub tensors: BTreeMap<String, Tensor>,
    pub hash: String,
}

/// Compares hashes, which are those of everything else: the report of a stop may hold NaN, which is not equal to itself.
impl PartialEq for Header {
    fn eq(&self, other: &Header) -> bool {
        self.hash == other.hash
    }
}

/// A tensor of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tensor {
    pub kind: Dtype,
    pub shape: Vec<usize>,
    /// Range of the tensor's bytes in the file.
    pub bytes: Range<u64>,
}

/// What is wrong with a header.
#[derive(Debug)]
pub(super) enum Wrong {
    /// Another kind of file: the end of a sentence about it.
    Other(String),
    Damaged,
    /// Another version of the format, by this program.
    Version(u32, String),
}

impl Header {
    /// Reads the header of a file of this length, and nothing behind it.
    pub(super) fn read(file: &mut impl Read, length: u64) -> Result<Header, Wrong> {
        let other = |cause: &str| Wrong::Other(cause.into());
        let mut begin = [0; LENGTH as usize];
        file.read_exact(&mut begin).map_err(|_| other("it is too short"))?;
        let size = u64::from_le_bytes(begin);
        if size > MAX_HEADER || size > length.saturating_sub(LENGTH) {
            return Err(other("the size of its header does not fit"));
        }
        let mut bytes = begin.to_vec();
        file.take(size).read_to_end(&mut bytes).map_err(|error| Wrong::Other(error.to_string()))?;
        let parts: Parts = serde_json::from_slice(bytes.get(LENGTH as usize..).unwrap_or_default())
            .map_err(|error| Wrong::Other(error.to_string()))?;
        let texts = parts.texts.ok_or_else(|| other("its header has no such text"))?;
        let about = serde_json::from_str::<Kind>(&texts.stagewright).map_err(|e| Wrong::Other(e.to_string()))?;
        if about.version != VERSION {
            return Err(Wrong::Version(about.version, about.program));
        }
        let about: About = serde_json::from_str(&texts.stagewright).map_err(|e| Wrong::Other(e.to_string()))?;
        let place = place(&bytes, &texts.sha256).ok_or(Wrong::Damaged)?;
        if digest(&bytes, place) != texts.sha256 {
            return Err(Wrong::Damaged);
        }
        let tensors = placed(parts.tensors, bytes.len() as u64, length)?;
        if !tensors.keys().eq(about.states.keys()) {
            return Err(other("its tensors are not those that its header describes"));
        }
        let time = f64::from_bits(about.time);
        if about.frame > MAX_FRAME || !time.is_finite() || time < 0.0 {
            return Err(other("its frame or its time is out of range"));
        }
        Ok(Header { about, tensors, hash: texts.sha256 })
    }
}

/// Puts the hash of the header into the bytes of a file, in the place of [`NO_HASH`]. `None` where it has no such place, or is too
/// large.
pub(super) fn seal(bytes: &mut [u8]) -> Option<()> {
    let size = u64::from_le_bytes(bytes.get(..LENGTH as usize)?.try_into().ok()?);
    let header = bytes.get_mut(..usize::try_from(size.checked_add(LENGTH)?).ok()?).filter(|_| size <= MAX_HEADER)?;
    let place = place(header, NO_HASH)?;
    let hash = digest(header, place.clone());
    header.get_mut(place)?.copy_from_slice(hash.as_bytes());
    Some(())
}

/// SHA-256 of some bytes, in hexadecimal.
pub(super) fn hash_of(bytes: &[u8]) -> String {
    hexadecimal(Sha256::new().chain_update(bytes))
}

/// The digits of the header's hash. Quotes inside of texts are escaped, so nothing else reads like that.
fn place(header: &[u8], hash: &str) -> Option<Range<usize>> {
    let wanted = format!("\"{HASH}\":\"{hash}\"").into_bytes();
    let is_hash = hash.len() == NO_HASH.len() && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut found = header.windows(wanted.len()).enumerate().filter(|(_, part)| is_hash && *part == wanted.as_slice());
    let (at, _) = found.next()?;
    let start = at + wanted.len() - 1 - hash.len();
    found.next().is_none().then_some(start..start + hash.len())
}

/// The hash of a header whose digits of the hash are in a place.
fn digest(header: &[u8], place: Range<usize>) -> String {
    let (before, after) = (header.get(..place.start), header.get(place.end..));
    let hash = Sha256::new().chain_update(before.unwrap_or_default()).chain_update(NO_HASH);
    hexadecimal(hash.chain_update(after.unwrap_or_default()))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Tensors with their places in a file: one after another, without gaps, to its end.
fn placed(parts: BTreeMap<String, Part>, start: u64, length: u64) -> Result<BTreeMap<String, Tensor>, Wrong> {
    let mut order: Vec<(&String, &Part)> = parts.iter().collect();
    order.sort_by_key(|(_, part)| part.data_offsets);
    let mut end = 0;
    for (name, part) in order {
        let (first, after) = part.data_offsets;
        let numbers = part.shape.iter().try_fold(1u64, |product, axis| product.checked_mul(*axis as u64));
        let bits = numbers.and_then(|numbers| numbers.checked_mul(part.dtype.bitsize() as u64));
        if first != end || after < first || bits != (after - first).checked_mul(8) {
            return Err(Wrong::Other(format!("the place of its tensor {name} does not fit its shape")));
        }
        end = after;
    }
    if start.checked_add(end) != Some(length) {
        return Err(Wrong::Other("its length is not that of its tensors".into()));
    }
    let tensor = |(name, part): (String, Part)| {
        let (first, after) = part.data_offsets;
        (name, Tensor { kind: part.dtype, shape: part.shape, bytes: start + first..start + after })
    };
    Ok(parts.into_iter().map(tensor).collect())
}

/// What every version has.
#[derive(Deserialize)]
struct Kind {
    version: u32,
    program: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    stagewright: String,
    sha256: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    dtype: Dtype,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

/// The header as it is written.
struct Parts {
    texts: Option<Texts>,
    tensors: BTreeMap<String, Part>,
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Parts, D::Error> {
        deserializer.deserialize_map(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the header of a safetensors file")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts, A::Error> {
        let mut parts = Parts { texts: None, tensors: BTreeMap::new() };
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                if parts.texts.is_some() {
                    return Err(A::Error::custom("its texts are there twice"));
                }
                // Other programs have other texts.
                parts.texts = Some(map.next_value()?);
            } else if parts.tensors.len() >= MAX_TENSORS {
                map.next_value::<IgnoredAny>()?;
                return Err(A::Error::custom(format!("it has more than {MAX_TENSORS} tensors")));
            } else {
                let part = map.next_value()?;
                if parts.tensors.insert(name, part).is_some() {
                    return Err(A::Error::custom("a tensor is there twice"));
                }
            }
        }
        Ok(parts)
    }
}
