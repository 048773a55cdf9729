//! PNG images of 16 bits a channel with alpha.

use crate::sequence::{Encoding, Sequence};
use crate::sink::{About, Format, Frame, Kind, Target};
use crate::value::{ExportedValue, Picture};

pub(crate) const FORMAT: Format = Format {
    name: "png16",
    title: "PNG, 16 bit",
    about: "images of 16 bits a channel in sRGB, with alpha",
    takes: &[Kind::Picture],
    joins: false,
    beside: &[],
    single: false,
    bytes_per_pixel: 6.0,
    open: |target| Box::new(Sequence::new(target, &ENCODING)),
};

const ENCODING: Encoding = Encoding { ending: "png", encode, half: false, index: None };

fn encode(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    let Some(ExportedValue::Picture(picture)) = frame.layers()?.first().map(|layer| layer.value()) else {
        return Err("PNG files of 16 bits hold images alone".into());
    };
    file(&picture, frame, &target.about).map_err(|error| error.to_string())
}

fn file(picture: &Picture, frame: &Frame, about: &About) -> Result<Vec<u8>, png::EncodingError> {
    let samples: Vec<u8> = picture
        .rgba
        .chunks_exact(4)
        .flat_map(|pixel| pixel.iter().enumerate())
        .flat_map(|(channel, value)| sample(*value, channel == 3).to_be_bytes())
        .collect();
    let mut file = Vec::with_capacity(samples.len() / 2);
    let mut encoder = png::Encoder::new(&mut file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.add_text_chunk("Software".into(), About::PROGRAM.into())?;
    encoder.add_text_chunk("Frame".into(), frame.index.to_string())?;
    encoder.add_text_chunk("Time".into(), frame.time.to_string())?;
    encoder.add_text_chunk("Graph hash".into(), about.hash.clone())?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&samples)?;
    writer.finish()?;
    Ok(file)
}

/// The nearest of 65,536 steps: of the sRGB curve for colours, of the number itself for alpha.
fn sample(linear: f32, alpha: bool) -> u16 {
    let linear = f64::from(linear.clamp(0.0, 1.0));
    let encoded = match linear {
        _ if alpha => linear,
        low if low <= 0.003_130_8 => 12.92 * low,
        high => 1.055 * high.powf(1.0 / 2.4) - 0.055,
    };
    // NaN becomes 0.
    (encoded * 65_535.0).round() as u16
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::sink::Content;

    #[test]
    fn colours_are_the_nearest_of_sixteen_bits() {
        let rgba = vec![0.0, 0.5, 1.0, 0.25, -1.0, 7.0, f32::NAN, 1.0];
        let picture = Picture { width: 2, height: 1, rgba };
        let frame = Frame { index: 7, time: 0.25, content: Content::Layers(Vec::new()) };
        let about = About { hash: "ab".into(), ..About::default() };
        let bytes = file(&picture, &frame, &about).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut data).unwrap();
        let samples: Vec<u16> = data.chunks(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]])).collect();
        // 0.735357 is 0.5 on the sRGB curve (IEC 61966-2-1).
        assert_eq!(samples, [0, 48_192, 65_535, 16_384, 0, 65_535, 0, 65_535]);
        let info = reader.info();
        let texts: Vec<&str> = info.uncompressed_latin1_text.iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(texts, [About::PROGRAM, "7", "0.25", "ab"]);
        assert!(encode(&frame, &Target::images("".into(), 1..=1)).is_err(), "a frame without an image");
    }
}
