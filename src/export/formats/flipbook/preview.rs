//! A movie of a flipbook as an engine plays it: a cross-fade on the left, along the motion vectors on the right.

use super::decode::{Decoded, between};
use super::encode::Sheets;
use super::texels::{Grid, Texel};
use crate::formats::apng;
use crate::sim::Image;

/// Most frames, and widest part, of the movie.
const MAX_FRAMES: usize = 256;
const MAX_WIDTH: usize = 256;
/// Frames from a tile to the next.
const STEPS: usize = 4;
/// Linear grey behind the image.
const BEHIND: f32 = 0.05;

/// The movie, from the texels of the colour sheet and those of the motion vectors with their scale, four bytes each.
pub(super) fn movie(
    sheets: &Sheets<'_>,
    grid: &Grid,
    color: &[u8],
    motion: Option<(&[u8], f32)>,
) -> Result<Vec<u8>, String> {
    let tiles = sheets.layout.tiles();
    let decoded: Vec<Decoded> =
        (0..tiles).map(|tile| read(sheets, grid, tile, color, motion.map(|(bytes, _)| bytes))).collect();
    let steps = (MAX_FRAMES / tiles.max(1)).clamp(1, STEPS);
    // Without a loop, the last tile leads nowhere.
    let ways = if sheets.target.settings.sheet.looped { tiles } else { tiles.saturating_sub(1).max(1) };
    let [width, height] = {
        let shrink = grid.tile[0].div_ceil(MAX_WIDTH).max(1);
        grid.tile.map(|side| (side / shrink).max(1))
    };
    let scales: Vec<Option<f32>> = std::iter::once(None).chain(motion.map(|(_, scale)| Some(scale))).collect();
    let fps = sheets.target.fps() * steps as f64;
    let frame = |number: usize| {
        let (tile, blend) = (number / steps, (number % steps) as f32 / steps as f32);
        let (Some(now), Some(next)) = (decoded.get(tile), decoded.get((tile + 1) % tiles)) else {
            return Vec::new();
        };
        let mut rgba = Vec::with_capacity(4 * width * scales.len() * height);
        for row in 0..height {
            for scale in &scales {
                for column in 0..width {
                    let uv = [(column as f32 + 0.5) / width as f32, 1.0 - (row as f32 + 0.5) / height as f32];
                    let [r, g, b, a] = between(now, next, blend, *scale, uv);
                    rgba.extend([r, g, b].map(|part| byte(part + (1.0 - a) * BEHIND)));
                    rgba.push(255);
                }
            }
        }
        rgba
    };
    let images = (0..ways * steps).map(|number| Image {
        width: (width * scales.len()) as u32,
        height: height as u32,
        rgba: frame(number),
    });
    apng::bytes(images, fps)
}

/// A tile as an engine reads it from the sheets.
fn read(sheets: &Sheets<'_>, grid: &Grid, tile: usize, color: &[u8], motion: Option<&[u8]>) -> Decoded {
    let [wide, high] = grid.cell();
    let [sheet_width, _] = grid.size();
    let padding = grid.padding;
    let texels = |bytes: &[u8], of: &dyn Fn([u8; 4]) -> Texel| -> Vec<Texel> {
        let (all, _) = bytes.as_chunks::<4>();
        let [left, top] = [tile % grid.columns * wide + padding, tile / grid.columns * high + padding];
        let rows = (0..grid.tile[1]).map(|row| (top + row) * sheet_width + left);
        rows.flat_map(|start| all.get(start..start + grid.tile[0]).unwrap_or_default())
            .map(|texel| of(*texel))
            .collect()
    };
    let multiplied = sheets.target.settings.sheet.premultiplied;
    let color = texels(color, &|[r, g, b, a]| {
        let alpha = f32::from(a) / 255.0;
        let weight = if multiplied { 1.0 } else { alpha };
        let [r, g, b] = [r, g, b].map(|byte| linear(byte) * weight);
        [r, g, b, alpha]
    });
    let motion = motion.map(|bytes| texels(bytes, &|texel| texel.map(|byte| f32::from(byte) / 255.0)));
    Decoded { size: grid.tile, color, motion: motion.unwrap_or_default() }
}

/// The inverse of the sRGB curve.
fn linear(byte: u8) -> f32 {
    match f32::from(byte) / 255.0 {
        low if low <= 0.040_45 => low / 12.92,
        high => ((high + 0.055) / 1.055).powf(2.4),
    }
}

fn byte(linear: f32) -> u8 {
    (super::encode::srgb(linear) * 255.0).round() as u8
}
