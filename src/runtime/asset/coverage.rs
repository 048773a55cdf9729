//! Pixels as coverage: how much of each is inside a shape.

use crate::formats::pixels::Pixels;

/// Coverage of pixels, 0..1, bottom row first, with a border of empty pixels: everything beyond the image is outside.
pub(super) struct Coverage {
    /// Including the border.
    pub width: usize,
    pub height: usize,
    pub values: Vec<f32>,
}

/// Alpha is used as coverage if it varies over the image. Otherwise brightness is used, as stored and not linearised:
/// edges are antialiased by paint programs in stored values.
pub(super) fn coverage(pixels: &Pixels) -> Coverage {
    let (width, height) = (pixels.width, pixels.height);
    let varies = |a: &usize| {
        let first = pixels.sample(0, 0, *a);
        (0..height).any(|y| (0..width).any(|x| pixels.sample(x, y, *a) != first))
    };
    let alpha = pixels.alpha().filter(varies);
    let mut values = vec![0.0; (width + 2) * (height + 2)];
    for (y, row) in values.chunks_mut(width + 2).skip(1).take(height).enumerate() {
        for (x, slot) in row.iter_mut().skip(1).take(width).enumerate() {
            *slot = alpha.map_or_else(|| pixels.luma(x, y), |a| pixels.sample(x, y, a));
        }
    }
    Coverage { width: width + 2, height: height + 2, values }
}
