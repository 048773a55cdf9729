//! Reads a PNG image as coverage: how much of each pixel is inside.

use std::io::Cursor;

use png::{BitDepth, Decoder, Transformations};

use super::error::Cause;

/// Limit of pixels, so that samples and outline fit into a few hundred MiB.
const MAX_PIXELS: u64 = 1 << 26;

/// Upper bound of how much a byte of the file can expand: deflate packs 258 bytes into two bits, and PNG's filters do
/// not change lengths.
const MAX_RATIO: u64 = 1032;

/// Coverage of pixels, 0..1, bottom row first, with a border of empty pixels: everything beyond the image is outside.
pub(super) struct Coverage {
    /// Including the border.
    pub width: usize,
    pub height: usize,
    pub values: Vec<f32>,
}

fn broken(error: impl std::fmt::Display) -> Cause {
    Cause::Broken { kind: "PNG", message: error.to_string() }
}

/// Alpha is used as coverage if it varies over the image. Otherwise brightness is used, as stored and not linearised:
/// edges are antialiased by paint programs in stored values.
///
/// # Errors
/// An invalid or truncated file, detected before memory is allocated for its pixels; more than 2^26 pixels.
pub(super) fn coverage(bytes: Vec<u8>) -> Result<Coverage, Cause> {
    let packed = bytes.len() as u64;
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    // Palettes become colours, fewer than eight bits become eight, a transparent colour becomes alpha.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(broken)?;
    let (width, height) = reader.info().size();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Cause::Pixels(width, height));
    }
    // The size of the stored samples; expanded, they may be larger.
    let stored = reader.info().raw_bytes() as u64;
    if stored / MAX_RATIO > packed {
        return Err(broken(format!("{packed} bytes can't hold {width} x {height} pixels")));
    }
    let mut data = vec![0; reader.output_buffer_size().ok_or(Cause::Pixels(width, height))?];
    let frame = reader.next_frame(&mut data).map_err(broken)?;
    let pixels =
        Pixels { data: &data, wide: frame.bit_depth == BitDepth::Sixteen, channels: frame.color_type.samples() };
    let count = width as usize * height as usize;
    let alpha = matches!(pixels.channels, 2 | 4).then_some(pixels.channels - 1);
    let alpha = alpha.filter(|a| (1..count).any(|i| pixels.sample(i, *a) != pixels.sample(0, *a)));
    let value = |i| alpha.map_or_else(|| pixels.luma(i), |a| pixels.sample(i, a));
    let (width, height) = (width as usize, height as usize);
    let mut values = vec![0.0; (width + 2) * (height + 2)];
    // Rows are stored from the top.
    for (y, row) in values.chunks_mut(width + 2).skip(1).take(height).enumerate() {
        for (x, slot) in row.iter_mut().skip(1).take(width).enumerate() {
            *slot = value((height - 1 - y) * width + x);
        }
    }
    Ok(Coverage { width: width + 2, height: height + 2, values })
}

struct Pixels<'a> {
    data: &'a [u8],
    /// Two bytes a sample.
    wide: bool,
    channels: usize,
}

impl Pixels<'_> {
    /// From 0 to 1.
    fn sample(&self, pixel: usize, channel: usize) -> f32 {
        let index = pixel * self.channels + channel;
        if self.wide {
            let bytes = self.data.get(2 * index..).and_then(|b| b.first_chunk());
            bytes.map_or(0.0, |b| f32::from(u16::from_be_bytes(*b)) / f32::from(u16::MAX))
        } else {
            self.data.get(index).map_or(0.0, |b| f32::from(*b) / f32::from(u8::MAX))
        }
    }

    /// Weights of ITU-R BT.709.
    fn luma(&self, pixel: usize) -> f32 {
        match self.channels {
            1 | 2 => self.sample(pixel, 0),
            _ => 0.2126 * self.sample(pixel, 0) + 0.7152 * self.sample(pixel, 1) + 0.0722 * self.sample(pixel, 2),
        }
    }
}
