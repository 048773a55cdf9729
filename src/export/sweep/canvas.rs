//! Images of a contact sheet: read, made smaller, placed side by side, with text in a fixed font.

use std::path::Path;

use font8x8::legacy::BASIC_LEGACY;
use png::{ColorType, Decoder, Transformations};

use crate::asset::MAX_PIXELS;
use crate::files::read;
use crate::sim::Image;

/// Width and height of a character \[pixels\].
pub(super) const CHARACTER: usize = 8;
/// Largest file of an image \[bytes\].
const MAX_FILE: u64 = 1 << 28;

/// Opaque pixels in sRGB.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize, [r, g, b]: [u8; 3]) -> Canvas {
        Canvas { width, height, rgba: [r, g, b, 255].repeat(width * height) }
    }

    fn put(&mut self, x: usize, y: usize, color: [u8; 3], alpha: u8) {
        if x >= self.width {
            return;
        }
        let at = 4 * (y * self.width + x);
        if let Some([r, g, b, _]) = self.rgba.get_mut(at..at + 4) {
            let mixed = |new: u8, old: u8| {
                let (new, old, alpha) = (u32::from(new), u32::from(old), u32::from(alpha));
                ((new * alpha + old * (255 - alpha) + 127) / 255) as u8
            };
            (*r, *g, *b) = (mixed(color[0], *r), mixed(color[1], *g), mixed(color[2], *b));
        }
    }

    pub(super) fn fill(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], color: [u8; 3]) {
        for row in y..y + height {
            (x..x + width).for_each(|column| self.put(column, row, color, 255));
        }
    }

    /// Draws an image over what is there.
    pub(super) fn image(&mut self, [x, y]: [usize; 2], image: &Image) {
        let width = image.width as usize;
        for (at, pixel) in image.rgba.chunks_exact(4).enumerate() {
            if let [r, g, b, alpha] = *pixel {
                self.put(x + at % width.max(1), y + at / width.max(1), [r, g, b], alpha);
            }
        }
    }

    /// Writes a line. Characters that the font lacks become `?`.
    pub(super) fn text(&mut self, [x, y]: [usize; 2], scale: usize, color: [u8; 3], text: &str) {
        for (at, c) in text.chars().enumerate() {
            let glyph = BASIC_LEGACY.get(c as usize).or(BASIC_LEGACY.get('?' as usize)).copied().unwrap_or_default();
            for (row, bits) in glyph.into_iter().enumerate() {
                for column in (0..CHARACTER).filter(|column| bits >> column & 1 == 1) {
                    let corner = [x + (at * CHARACTER + column) * scale, y + row * scale];
                    self.fill(corner, [scale; 2], color);
                }
            }
        }
    }

    pub(super) fn into_image(self) -> Image {
        Image { width: self.width as u32, height: self.height as u32, rgba: self.rgba }
    }
}

/// An image from a PNG file. `None` where it cannot be read: for a link, and for more pixels than an image of a graph may have.
pub(super) fn load(path: &Path) -> Option<Image> {
    let bytes = read::bytes_without_links(path, MAX_FILE).ok()?;
    let mut decoder = Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info().ok()?;
    if u64::from(reader.info().width) * u64::from(reader.info().height) > MAX_PIXELS {
        return None;
    }
    let mut data = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut data).ok()?;
    data.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        ColorType::Rgba => data,
        ColorType::GrayscaleAlpha => data.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        _ => return None,
    };
    Some(Image { width: frame.width, height: frame.height, rgba })
}

/// The image, made smaller to fit into a square: each pixel is the mean of those that it covers.
pub(super) fn fitted(image: &Image, side: u32) -> Image {
    let longest = image.width.max(image.height).max(1);
    if longest <= side {
        return image.clone();
    }
    let part = |length: u32| (u64::from(length) * u64::from(side) / u64::from(longest)).max(1) as u32;
    let (width, height) = (part(image.width), part(image.height));
    let span = |at: u32, of: u32, length: u32| {
        let start = |at: u32| (u64::from(at) * u64::from(length) / u64::from(of)) as usize;
        start(at)..start(at + 1).max(start(at) + 1)
    };
    let mut rgba = Vec::with_capacity((width * height * 4) as usize);
    for y in 0..height {
        for x in 0..width {
            let (mut sum, mut count) = ([0u32; 4], 0);
            for row in span(y, height, image.height) {
                for column in span(x, width, image.width) {
                    let at = 4 * (row * image.width as usize + column);
                    let pixel = image.rgba.get(at..at + 4).unwrap_or_default();
                    sum.iter_mut().zip(pixel).for_each(|(sum, byte)| *sum += u32::from(*byte));
                    count += 1;
                }
            }
            rgba.extend(sum.map(|sum| ((sum + count / 2) / count.max(1)) as u8));
        }
    }
    Image { width, height, rgba }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_image_has_the_means_of_its_pixels() {
        let pixel = |at: u32| [(at % 4 * 40) as u8, (at / 4 * 40) as u8, 7, 255];
        let image = Image { width: 4, height: 2, rgba: (0..8).flat_map(pixel).collect() };
        let small = fitted(&image, 2);
        assert_eq!((small.width, small.height), (2, 1));
        assert_eq!(small.rgba, [20, 20, 7, 255, 100, 20, 7, 255]);
        assert_eq!(fitted(&image, 9).rgba, image.rgba, "it is never made larger");
    }

    #[test]
    fn text_is_upright_and_reads_from_the_left() {
        let mut canvas = Canvas::new(16, 8, [0; 3]);
        canvas.text([0, 0], 1, [255; 3], "L.");
        let image = canvas.into_image();
        let row =
            |y: usize| (0..16).map(|x| if image.rgba[4 * (16 * y + x)] > 0 { '#' } else { ' ' }).collect::<String>();
        assert_eq!(row(0), "####            ", "an L is high at the left");
        assert_eq!(row(6), "#######   ##    ", "it has a foot, and the point is beside it");
    }
}
