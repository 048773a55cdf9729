//! Writes OpenEXR images: one part of scan lines, blocks of 16 lines compressed without loss (ZIP).
//!
//! Source: OpenEXR File Layout, and ImfZip.cpp for the order of bytes before compression.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use half::f16;

use super::layout::MAGIC;

/// Lines that are compressed together.
const LINES: usize = 16;
/// Longest name of a channel or an attribute \[bytes\], by the flag of long names.
pub const MAX_NAME: usize = 255;

/// A channel, its top row first.
pub struct Channel {
    /// Name with its layer, such as `velocity.X`.
    pub name: String,
    /// Numbers of all pixels.
    pub samples: Samples,
}

/// Numbers of a channel.
pub enum Samples {
    /// Floats of 32 bits.
    F32(Vec<f32>),
    /// Floats of 16 bits.
    F16(Vec<f16>),
    /// Whole numbers of 32 bits.
    U32(Vec<u32>),
}

impl Samples {
    /// The number of its type in files.
    fn code(&self) -> u32 {
        match self {
            Samples::U32(_) => 0,
            Samples::F16(_) => 1,
            Samples::F32(_) => 2,
        }
    }

    /// Appends the samples from one index to another.
    fn put(&self, out: &mut Vec<u8>, range: std::ops::Range<usize>) {
        match self {
            Samples::U32(values) => out.extend(values.get(range).into_iter().flatten().flat_map(|v| v.to_le_bytes())),
            Samples::F16(values) => out.extend(values.get(range).into_iter().flatten().flat_map(|v| v.to_le_bytes())),
            Samples::F32(values) => out.extend(values.get(range).into_iter().flatten().flat_map(|v| v.to_le_bytes())),
        }
    }
}

/// The attributes of a file.
#[derive(Default)]
pub struct Header(Vec<u8>);

impl Header {
    /// Adds a text.
    pub fn text(&mut self, name: &str, text: &str) {
        self.bytes(name, "string", text.as_bytes());
    }

    /// Adds a value of this type.
    pub fn bytes(&mut self, name: &str, ty: &str, value: &[u8]) {
        for word in [name, ty] {
            self.0.extend(word.bytes().take(MAX_NAME));
            self.0.push(0);
        }
        self.0.extend((value.len() as u32).to_le_bytes());
        self.0.extend(value);
    }
}

/// The bytes of a file; channels are in the order of their names.
pub fn file(mut header: Header, channels: &[Channel], [width, height]: [usize; 2]) -> Vec<u8> {
    let mut list = Vec::new();
    for channel in channels {
        list.extend(channel.name.bytes());
        list.push(0);
        // The type; not perceptually linear; every pixel has a sample.
        for word in [channel.samples.code(), 0, 1, 1] {
            list.extend(word.to_le_bytes());
        }
    }
    list.push(0);
    let corners = [0, 0, width as i32 - 1, height as i32 - 1];
    let window: Vec<u8> = corners.iter().flat_map(|edge| edge.to_le_bytes()).collect();
    header.bytes("channels", "chlist", &list);
    // ZIP, blocks of 16 lines from the top.
    header.bytes("compression", "compression", &[3]);
    header.bytes("lineOrder", "lineOrder", &[0]);
    header.bytes("dataWindow", "box2i", &window);
    header.bytes("displayWindow", "box2i", &window);
    header.bytes("pixelAspectRatio", "float", &1f32.to_le_bytes());
    header.bytes("screenWindowCenter", "v2f", &[0; 8]);
    header.bytes("screenWindowWidth", "float", &1f32.to_le_bytes());
    // The magic number, version 2, long names.
    let mut file = [MAGIC.as_slice(), &[0x02, 0x04, 0, 0]].concat();
    file.extend(header.0);
    file.push(0);
    let table = file.len();
    let blocks = height.div_ceil(LINES);
    file.resize(table + 8 * blocks, 0);
    for block in 0..blocks {
        let offset = (file.len() as u64).to_le_bytes();
        if let Some(place) = file.get_mut(table + 8 * block..table + 8 * block + 8) {
            place.copy_from_slice(&offset);
        }
        let mut raw = Vec::new();
        for line in block * LINES..((block + 1) * LINES).min(height) {
            channels.iter().for_each(|channel| channel.samples.put(&mut raw, line * width..(line + 1) * width));
        }
        let packed = packed(&raw);
        // What compression does not make smaller is stored as it is.
        let bytes = if packed.len() < raw.len() { &packed } else { &raw };
        file.extend(((block * LINES) as i32).to_le_bytes());
        file.extend((bytes.len() as u32).to_le_bytes());
        file.extend(bytes);
    }
    file
}

/// Compressed lines: bytes of even and of odd places apart, each as its difference from the one before.
fn packed(raw: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = raw.iter().step_by(2).chain(raw.iter().skip(1).step_by(2)).copied().collect();
    let mut before = bytes.first().copied().unwrap_or_default();
    for byte in bytes.iter_mut().skip(1) {
        let current = *byte;
        *byte = current.wrapping_sub(before).wrapping_add(128);
        before = current;
    }
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(raw.len() / 2), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(&bytes);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::exr::read::pixels;
    use crate::pixels;
    use crate::work::Work;

    fn channels() -> Vec<Channel> {
        let noise = |n: usize| f32::from_bits((n as u32).wrapping_mul(2_654_435_761) >> 4);
        vec![
            Channel { name: "B".into(), samples: Samples::F32((0..40 * 19).map(|n| n as f32).collect()) },
            Channel { name: "noise.V".into(), samples: Samples::F32((0..40 * 19).map(noise).collect()) },
        ]
    }

    #[test]
    fn lines_come_back() {
        let bytes = file(Header::default(), &channels(), [40, 19]);
        comes_in(&bytes);
        let raw: Vec<u8> = (0..40 * 16u32).flat_map(|n| (n as f32).to_le_bytes()).collect();
        let packed = packed(&raw);
        assert!(packed.len() < raw.len());
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(Cursor::new(&packed)), &mut bytes).unwrap();
        for at in 1..bytes.len() {
            bytes[at] = bytes[at].wrapping_add(bytes[at - 1]).wrapping_sub(128);
        }
        let (even, odd) = bytes.split_at(raw.len() / 2);
        let back: Vec<u8> = even.iter().zip(odd).flat_map(|(even, odd)| [*even, *odd]).collect();
        assert!(back == raw);
    }

    /// What is written can be read.
    fn comes_in(bytes: &[u8]) {
        let (found, note) = pixels(bytes, Some("noise"), &Work::default()).unwrap();
        let (pixels::Samples::Floats(found), Samples::F32(noise)) = (&found.samples, &channels()[1].samples) else {
            unreachable!()
        };
        assert!(found == noise && note.is_none());
    }
}
