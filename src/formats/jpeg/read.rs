//! Reads a JPEG image as pixels, turned as its Exif data say.

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::content::{Content, Source};
use crate::cursor::Cursor;
use crate::error::Cause;
use crate::malformed::FormatName;
use crate::pixels::{Pixels, Samples, check_size};

/// Upper bound of the pixels that a byte can hold: every scan has at least a bit for each block of 8 x 8.
const MAX_RATIO: u64 = 512;
/// The limit of the format.
const MAX_SIDE: usize = 65_535;
/// Scans of a progressive file: more are a way to keep a reader busy.
const MAX_SCANS: usize = 256;

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("JPEG");

/// Reads a file.
///
/// # Errors
/// Errors of [`pixels`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    Ok(Content::Image(pixels(&file.bytes)?, None))
}

/// Decodes the pixels.
///
/// # Errors
/// An invalid or truncated file, detected before memory is allocated for its pixels; too many pixels.
pub(crate) fn pixels(bytes: &[u8]) -> Result<Pixels, Cause> {
    let options = DecoderOptions::default()
        .set_max_width(MAX_SIDE)
        .set_max_height(MAX_SIDE)
        .jpeg_set_max_scans(MAX_SCANS)
        .set_strict_mode(false);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let failed = |error: zune_jpeg::errors::DecodeErrors| NAME.malformed(error.to_string().trim_matches(['"', '\n']));
    decoder.decode_headers().map_err(failed)?;
    let (width, height) = decoder.dimensions().ok_or_else(|| NAME.malformed("it has no size"))?;
    check_size(width as u32, height as u32)?;
    if (width * height) as u64 / MAX_RATIO > bytes.len() as u64 {
        return Err(NAME.malformed(format!("{} bytes can't hold {width} x {height} pixels", bytes.len())));
    }
    // The decoder fills what is missing with grey.
    if !is_whole(bytes) {
        return Err(NAME.cut_off());
    }
    let data = decoder.decode().map_err(failed)?;
    let channels = data.len() / (width * height).max(1);
    let turn = decoder.exif().and_then(|exif| orientation(exif)).unwrap_or(1);
    let (width, height, data) = turned([width, height], channels, data, turn);
    Ok(Pixels::new(width, height, channels, Samples::Bytes(data)))
}

/// Whether the file reaches its end marker.
fn is_whole(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(2..).unwrap_or_default();
    loop {
        let Some(at) = rest.iter().position(|byte| *byte == 0xff) else { return false };
        let Some((marker, after)) = rest.get(at + 1..).and_then(|r| r.split_first()) else { return false };
        rest = match marker {
            0xd9 => return true,
            // A filling byte, which the next marker may follow.
            0xff => rest.get(at + 1..).unwrap_or_default(),
            // Image data, restarts and markers without a length.
            0x00 | 0x01 | 0xd0..=0xd8 => after,
            _ => match after.first_chunk() {
                Some(length) => after.get(usize::from(u16::from_be_bytes(*length))..).unwrap_or_default(),
                None => return false,
            },
        };
    }
}

/// The tag of Exif data that says how a camera was held, 1 to 8.
fn orientation(exif: &[u8]) -> Option<u16> {
    let little = exif.starts_with(b"II");
    let exif = Cursor::new(NAME, exif);
    let exif = if little { exif } else { exif.big_endian() };
    let two = |at: usize| exif.at_position(at).ok()?.u16().ok();
    let directory = exif.at_position(4).ok()?.u32().ok()? as usize;
    let entries = usize::from(two(directory)?);
    let entry = (0..entries).map(|i| directory + 2 + 12 * i).find(|at| two(*at) == Some(0x0112))?;
    two(entry + 8).filter(|turn| (1..=8).contains(turn))
}

/// Width, height and samples of the image as it was seen. From 5 on, columns become rows.
fn turned([w, h]: [usize; 2], channels: usize, stored: Vec<u8>, turn: u16) -> (usize, usize, Vec<u8>) {
    if turn == 1 {
        return (w, h, stored);
    }
    let (width, height) = if turn < 5 { (w, h) } else { (h, w) };
    let from = |x: usize, y: usize| match turn {
        2 => (w - 1 - x, y),
        3 => (w - 1 - x, h - 1 - y),
        4 => (x, h - 1 - y),
        5 => (y, x),
        6 => (y, h - 1 - x),
        7 => (w - 1 - y, h - 1 - x),
        _ => (w - 1 - y, x),
    };
    let mut data = Vec::with_capacity(stored.len());
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let (x, y) = from(x, y);
        data.extend_from_slice(
            stored.get((y * w + x) * channels..).and_then(|d| d.get(..channels)).unwrap_or_default(),
        );
    }
    (width, height, data)
}
