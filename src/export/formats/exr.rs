//! OpenEXR images: colours and grids in two dimensions, as channels of one part.
//!
//! The colours of the first value are `R G B A`; every other value is a layer, with channels `NAME.X`. Programs list names with
//! dots as layers. Blocks of 16 lines are compressed without loss (ZIP). Source: OpenEXR File Layout, and ImfZip.cpp for the order of
//! bytes before compression.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use half::f16;

use crate::names::plain;
use crate::sequence::{Encoding, Sequence};
use crate::sink::{About, Format, Frame, Kind, Target};
use crate::stage::types::Scalar;
use crate::value::{Grid, Layer, Value};

pub(crate) const FORMAT: Format = Format {
    name: "exr",
    title: "EXR",
    about: "OpenEXR images with 32 bits a channel: linear colours, and grids in 2D as layers",
    takes: &[Kind::Picture, Kind::Grid2],
    joins: true,
    beside: &[],
    single: false,
    bytes_per_pixel: 12.0,
    open: |target| {
        Box::new(Sequence::new(target, &Encoding { ending: "exr", encode: float, half: false, index: None }))
    },
};

pub(crate) const HALF: Format = Format {
    name: "exr-half",
    title: "EXR, half",
    about: "the same with 16 bits a channel, in half the space",
    bytes_per_pixel: 5.0,
    open: |target| {
        Box::new(Sequence::new(target, &Encoding { ending: "exr", encode: halves, half: true, index: None }))
    },
    ..FORMAT
};

/// Lines that are compressed together.
const LINES: usize = 16;
/// Longest name of a channel or an attribute \[bytes\], by the flag of long names.
const MAX_NAME: usize = 255;

/// A channel, its top row first.
pub(super) struct Channel {
    pub name: String,
    pub samples: Samples,
}

pub(super) enum Samples {
    F32(Vec<f32>),
    F16(Vec<f16>),
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

fn float(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    encode(frame, target, false)
}

fn halves(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    encode(frame, target, true)
}

fn encode(frame: &Frame, target: &Target, half: bool) -> Result<Vec<u8>, String> {
    let about = &target.about;
    let mut size = None;
    let mut all = Vec::new();
    let mut header = Header::default();
    header.text("software", About::PROGRAM);
    header.text("comments", &about.graph);
    header.text("graphHash", &about.hash);
    header.bytes("frame", "int", &i32::try_from(frame.index).unwrap_or(i32::MAX).to_le_bytes());
    header.bytes("time", "double", &frame.time.to_le_bytes());
    header.bytes("fps", "double", &about.fps.to_le_bytes());
    for (index, layer) in frame.layers()?.iter().enumerate() {
        let name = plain(&layer.name);
        let (own, channels) = channels(layer, &name, index == 0)?;
        if *size.get_or_insert(own) != own {
            let [first, other] = [size.unwrap_or(own), own].map(|[width, height]| format!("{width} x {height}"));
            return Err(format!("`{}` is {other} and what comes before it {first}", layer.name));
        }
        for Channel { name, samples } in channels {
            if name.len() > MAX_NAME {
                return Err(format!("`{name}` is longer than {MAX_NAME} bytes"));
            }
            all.push(Channel { name, samples: if half { as_half(samples)? } else { samples } });
        }
        if let Value::Grid(grid) = layer.value() {
            header.bytes(&format!("{name}.cellSize"), "double", &grid.edges[1].to_le_bytes());
        }
        if !layer.unit.is_empty() {
            header.text(&format!("{name}.unit"), &layer.unit);
        }
    }
    // Files hold channels in the order of their names.
    all.sort_by(|one, other| one.name.cmp(&other.name));
    let twice = all.iter().zip(all.iter().skip(1)).find(|(one, other)| one.name == other.name);
    if let Some((one, _)) = twice {
        return Err(format!("two channels are called `{}`", one.name));
    }
    let [width, height] = size.ok_or("there is nothing to write")?;
    Ok(file(header, &all, [width, height]))
}

/// The attributes of a file.
#[derive(Default)]
pub(super) struct Header(Vec<u8>);

impl Header {
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.bytes(name, "string", text.as_bytes());
    }

    fn bytes(&mut self, name: &str, ty: &str, value: &[u8]) {
        for word in [name, ty] {
            self.0.extend(word.bytes().take(MAX_NAME));
            self.0.push(0);
        }
        self.0.extend((value.len() as u32).to_le_bytes());
        self.0.extend(value);
    }
}

/// The bytes of a file; channels are in the order of their names.
pub(super) fn file(mut header: Header, channels: &[Channel], [width, height]: [usize; 2]) -> Vec<u8> {
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
    let mut file = vec![0x76, 0x2f, 0x31, 0x01, 0x02, 0x04, 0, 0];
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
        let own = *byte;
        *byte = own.wrapping_sub(before).wrapping_add(128);
        before = own;
    }
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(raw.len() / 2), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(&bytes);
    encoder.finish().unwrap_or_default()
}

/// The size of a value \[pixels\], and its channels with the top row first.
fn channels(layer: &Layer, name: &str, first: bool) -> Result<([usize; 2], Vec<Channel>), String> {
    match layer.value() {
        Value::Picture(picture) => {
            let numbers = |channel: usize| {
                let pixel = |pixel: &[f32]| match (channel, pixel) {
                    // Files hold colours that are multiplied by their alpha.
                    (0..3, [.., alpha]) if *alpha != 1.0 => pixel.get(channel).map_or(0.0, |color| color * alpha),
                    _ => pixel.get(channel).copied().unwrap_or_default(),
                };
                Samples::F32(picture.rgba.chunks_exact(4).map(pixel).collect())
            };
            let prefix = if first { String::new() } else { format!("{name}.") };
            let channel = |(index, letter)| Channel { name: format!("{prefix}{letter}"), samples: numbers(index) };
            let size = [picture.width as usize, picture.height as usize];
            Ok((size, ["R", "G", "B", "A"].into_iter().enumerate().map(channel).collect()))
        }
        Value::Grid(grid) => {
            let grid = grid.centered();
            let letters: &[&str] = match grid.components {
                1 => &["V"],
                2 | 3 => &["X", "Y", "Z"],
                _ => &["R", "G", "B", "A"],
            };
            let channel = |(index, letter): (usize, &&str)| {
                Ok(Channel { name: format!("{name}.{letter}"), samples: samples(&grid, index)? })
            };
            let channels = letters.iter().take(grid.components).enumerate().map(channel);
            Ok(([grid.cells[0] as usize, grid.cells[1] as usize], channels.collect::<Result<_, String>>()?))
        }
        Value::Particles(_) | Value::Number(_) => Err("EXR files hold images and grids in 2D".into()),
    }
}

/// A component of a grid in two dimensions, top row first.
fn samples(grid: &Grid<'_>, component: usize) -> Result<Samples, String> {
    let row = (grid.cells[0] as usize * grid.components).max(1);
    let rows = grid.words.chunks_exact(row).rev();
    let words = rows.flat_map(|row| row.iter().skip(component).step_by(grid.components)).copied();
    Ok(match grid.scalar {
        Scalar::F32 => Samples::F32(words.map(f32::from_bits).collect()),
        Scalar::U32 => Samples::U32(words.collect()),
        Scalar::I32 => {
            let exact = |word: u32| {
                let (number, float) = (word as i32, word as i32 as f32);
                let message = || format!("{number} is not exact in 32 bits of floating point; choose the format npy");
                (float as i64 == i64::from(number)).then_some(float).ok_or_else(message)
            };
            Samples::F32(words.map(exact).collect::<Result<_, String>>()?)
        }
    })
}

/// The nearest half precision numbers. Those beyond its range become infinite.
fn as_half(samples: Samples) -> Result<Samples, String> {
    match samples {
        Samples::F32(values) => Ok(Samples::F16(values.into_iter().map(f16::from_f32).collect())),
        Samples::U32(_) => Err("integers have no half precision; choose the format exr".into()),
        half => Ok(half),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::asset::{Placement, Request, Work};
    use crate::graph::{Domain, ImageFit};
    use crate::stage::edges::Edges;

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

    /// What is exported can be read by a node of a graph.
    fn comes_in(bytes: &[u8]) {
        let path = std::env::temp_dir().join(format!("stagewright-comes-in-{}.exr", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let domain = Domain {
            name: "domain".into(),
            dim: 2,
            resolution: [40, 19, 1],
            cell_size: 0.1,
            edge: Edges::default(),
            finer: None,
            sliced: None,
        };
        let request = Request::image(&path, ImageFit::Stretch, true, Placement::InPlace, &domain);
        let grid = Request { layer: Some("noise".into()), ..request }.load(&Work::default()).unwrap();
        let Samples::F32(noise) = &channels()[1].samples else { unreachable!() };
        for (row, line) in noise.chunks(40).rev().enumerate() {
            for (column, number) in line.iter().enumerate() {
                assert_eq!(grid.values[4 * (40 * row + column)], *number);
            }
        }
        std::fs::remove_file(path).unwrap();
    }
}
