//! PNG images as pixels.

use std::io::Cursor;

use png::{BitDepth, Decoder, Transformations};

use crate::content::{Content, Source};
use crate::error::Cause;
use crate::malformed::FormatName;
use crate::pixels::{Pixels, Samples, check_size};

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("PNG");

/// Reads a file.
///
/// # Errors
/// Errors of [`pixels`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    Ok(Content::Image(pixels(file.bytes)?, None))
}

/// Upper bound of how much a byte of the file can expand: deflate packs 258 bytes into two bits, and PNG's filters do
/// not change lengths.
const MAX_RATIO: u64 = 1032;

fn invalid(error: png::DecodingError) -> Cause {
    NAME.malformed(error.to_string())
}

/// Decodes the pixels.
///
/// # Errors
/// An invalid or truncated file, detected before memory is allocated for its pixels; more than 2^26 pixels.
pub(crate) fn pixels(bytes: Vec<u8>) -> Result<Pixels, Cause> {
    let packed = bytes.len() as u64;
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    // Palettes become colours, fewer than eight bits become eight, a transparent colour becomes alpha.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(invalid)?;
    let (width, height) = reader.info().size();
    check_size(width, height)?;
    // The size of the stored samples; expanded, they may be larger.
    let stored = reader.info().raw_bytes() as u64;
    if stored / MAX_RATIO > packed {
        return Err(NAME.malformed(format!("{packed} bytes can't hold {width} x {height} pixels")));
    }
    let mut data = vec![0; reader.output_buffer_size().ok_or(Cause::Pixels(width, height))?];
    let frame = reader.next_frame(&mut data).map_err(invalid)?;
    let samples = if frame.bit_depth == BitDepth::Sixteen { Samples::Words(data) } else { Samples::Bytes(data) };
    Ok(Pixels::new(width as usize, height as usize, frame.color_type.samples(), samples))
}
