//! PNG images, one a frame.

use crate::sequence::{Encoding, Sequence};
use crate::sim::Image;
use crate::sink::{Format, Frame, Kind, Target};

pub(crate) const FORMAT: Format = Format {
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

const ENCODING: Encoding = Encoding { ending: "png", encode, half: false, index: None };

fn encode(frame: &Frame, _: &Target) -> Result<Vec<u8>, String> {
    let texts = [("Frame", frame.index.to_string()), ("Time", frame.time.to_string())];
    file(frame.image()?, &texts).map_err(|error| error.to_string())
}

/// The image as an sRGB PNG file with texts by their keywords: RGB, or RGBA where some pixel is not opaque.
pub(super) fn file(image: &Image, texts: &[(&str, String)]) -> Result<Vec<u8>, png::EncodingError> {
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
    for (keyword, text) in texts {
        encoder.add_text_chunk((*keyword).into(), text.clone())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(data)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::sink::Content;

    fn image(alpha: u8) -> Image {
        let byte = |i: u32| if i % 4 == 3 { alpha } else { (i * 7 % 251) as u8 };
        Image { width: 33, height: 17, rgba: (0..33 * 17 * 4).map(byte).collect() }
    }

    #[test]
    fn images_come_back_as_they_were_and_say_which_frame_they_are() {
        for (alpha, color, channels) in [(255, png::ColorType::Rgb, 3), (128, png::ColorType::Rgba, 4)] {
            let image = image(alpha);
            let frame = Frame { index: 7, time: 0.25, content: Content::Image(image.clone()) };
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
            let texts: Vec<&str> = info.uncompressed_latin1_text.iter().map(|chunk| chunk.text.as_str()).collect();
            assert_eq!(texts, ["7", "0.25"]);
        }
    }
}
