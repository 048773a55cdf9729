//! OpenEXR images: colours and grids in two dimensions, as channels of one part.
//!
//! The colours of the first value are `R G B A`; every other value is a layer, with channels `NAME.X`. Programs list names with
//! dots as layers. Blocks of 16 lines are compressed without loss (ZIP). Source: OpenEXR File Layout, and ImfZip.cpp for the order of
//! bytes before compression.

use half::f16;

use crate::names::plain;
use crate::sequence::{Encoding, Sequence};
use crate::sink::{About, Format, Frame, Kind, Target};
use crate::stage::types::Scalar;
use crate::value::{ExportedValue, Grid, Layer};
use stagewright_formats::exr::write::{Channel, Header, MAX_NAME, Samples, file};

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
        let (layer_size, channels) = channels(layer, &name, index == 0)?;
        if *size.get_or_insert(layer_size) != layer_size {
            let [first, other] =
                [size.unwrap_or(layer_size), layer_size].map(|[width, height]| format!("{width} x {height}"));
            return Err(format!("`{}` is {other} and what comes before it {first}", layer.name));
        }
        for Channel { name, samples } in channels {
            if name.len() > MAX_NAME {
                return Err(format!("`{name}` is longer than {MAX_NAME} bytes"));
            }
            all.push(Channel { name, samples: if half { as_half(samples)? } else { samples } });
        }
        if let ExportedValue::Grid(grid) = layer.value() {
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

/// The size of a value \[pixels\], and its channels with the top row first.
fn channels(layer: &Layer, name: &str, first: bool) -> Result<([usize; 2], Vec<Channel>), String> {
    match layer.value() {
        ExportedValue::Picture(picture) => {
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
        ExportedValue::Grid(grid) => {
            let grid = grid.centered();
            let letters: &[&str] = match grid.components {
                _ if grid.array => &[],
                1 => &["V"],
                2 | 3 => &["X", "Y", "Z"],
                _ => &["R", "G", "B", "A"],
            };
            let channel = |index: usize| {
                let part = letters.get(index).map_or_else(|| index.to_string(), ToString::to_string);
                Ok(Channel { name: format!("{name}.{part}"), samples: samples(&grid, index)? })
            };
            let channels = (0..grid.components).map(channel).collect::<Result<_, String>>()?;
            Ok(([grid.cells[0] as usize, grid.cells[1] as usize], channels))
        }
        ExportedValue::Particles(_) | ExportedValue::Number(_) => Err("EXR files hold images and grids in 2D".into()),
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
