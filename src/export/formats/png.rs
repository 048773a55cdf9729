//! PNG images, one a frame.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::export::sequence::{Encoding, Sequence};
use crate::export::sink::{Format, Frame, Kind, Target};
use crate::sim::Image;

pub(in crate::export) const FORMAT: Format = Format {
    name: "png",
    title: "PNG",
    about: "images of 8 bits a channel in sRGB, with alpha where a pixel is not opaque",
    takes: &[Kind::Image],
    joins: false,
    beside: &[],
    single: false,
    // Images of the shipped graphs take 0.6 to 2.9.
    bytes_per_pixel: 1.0,
    open: |target| Box::new(Sequence::new(target, &ENCODING)),
};

const ENCODING: Encoding = Encoding { ending: "png", encode, inspect, index: None };

fn encode(frame: &Frame, _: &Target) -> Result<Vec<u8>, String> {
    file(frame.image()?).map_err(|error| error.to_string())
}

/// The image as an sRGB PNG file: RGB, or RGBA where some pixel is not opaque.
pub(super) fn file(image: &Image) -> Result<Vec<u8>, png::EncodingError> {
    let opaque = image.rgba.chunks_exact(4).all(|pixel| matches!(pixel, [.., 255]));
    let rgb: Vec<u8>;
    let (color, data) = if opaque {
        let pixels = image.rgba.chunks_exact(4);
        rgb = pixels.flat_map(|pixel| pixel.iter().take(3).copied()).collect();
        (png::ColorType::Rgb, &rgb)
    } else {
        (png::ColorType::Rgba, &image.rgba)
    };
    let mut file = Vec::with_capacity(data.len() / 2);
    let mut encoder = png::Encoder::new(&mut file, image.width, image.height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(data)?;
    writer.finish()?;
    Ok(file)
}

/// The size of an image \[pixels\], if the file is a complete PNG: from its signature to the final chunk, with nothing
/// after it.
pub(super) fn inspect(file: &mut File, length: u64) -> Option<[u32; 2]> {
    const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
    let mut start = [0; 24];
    file.read_exact(&mut start).ok()?;
    let [width, height] =
        [16, 20].map(|at| start.get(at..).and_then(|b| b.first_chunk()).map(|b| u32::from_be_bytes(*b)));
    if !start.starts_with(&SIGNATURE) || start.get(12..16)? != b"IHDR" {
        return None;
    }
    let mut at = SIGNATURE.len() as u64;
    loop {
        let (size, kind) = chunk(file, at)?;
        // Length, type and checksum.
        at += 12 + u64::from(size);
        match &kind {
            b"IEND" => return (at == length && size == 0).then_some([width?, height?]),
            _ if at >= length => return None,
            _ => {}
        }
    }
}

fn chunk(file: &mut File, at: u64) -> Option<(u32, [u8; 4])> {
    let mut head = [0; 8];
    file.seek(SeekFrom::Start(at)).ok()?;
    file.read_exact(&mut head).ok()?;
    let (size, kind) = (head.first_chunk()?, head.last_chunk()?);
    Some((u32::from_be_bytes(*size), *kind))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::export::sink::Content;

    fn image(alpha: u8) -> Image {
        let byte = |i: u32| if i % 4 == 3 { alpha } else { (i * 7 % 251) as u8 };
        Image { width: 33, height: 17, rgba: (0..33 * 17 * 4).map(byte).collect() }
    }

    #[test]
    fn images_come_back_as_they_were_and_only_whole_ones_count() {
        for (alpha, color, channels) in [(255, png::ColorType::Rgb, 3), (128, png::ColorType::Rgba, 4)] {
            let image = image(alpha);
            let frame = Frame { index: 1, time: 0.0, content: Content::Image(image.clone()) };
            let bytes = encode(&frame, &Target::images("".into(), 1..=1)).unwrap();
            let mut reader = png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
            let mut data = vec![0; reader.output_buffer_size().unwrap()];
            let frame = reader.next_frame(&mut data).unwrap();
            data.truncate(frame.buffer_size());
            let info = reader.info();
            assert_eq!((info.width, info.height, info.color_type), (33, 17, color));
            assert!(info.srgb.is_some());
            let expected: Vec<u8> = image.rgba.chunks(4).flat_map(|pixel| &pixel[..channels]).copied().collect();
            assert!(data == expected);
            let path = std::env::temp_dir().join(format!("stagewright-png-{}-{alpha}", std::process::id()));
            std::fs::write(&path, &bytes).unwrap();
            let mut file = File::options().read(true).write(true).open(&path).unwrap();
            let length = bytes.len() as u64;
            assert_eq!(inspect(&mut file, length), Some([33, 17]));
            for length in (0..length).rev().chain([length + 1]) {
                file.set_len(length).unwrap();
                file.rewind().unwrap();
                assert_eq!(inspect(&mut file, length), None, "{length} bytes of {}", bytes.len());
            }
            std::fs::remove_file(&path).unwrap();
        }
    }
}
