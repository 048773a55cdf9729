//! How an engine shows a flipbook between two tiles: by a cross-fade, or along the motion vectors.
//!
//! Source: Unity's VFX Graph, `GetFlipbookMotionVectors` in VFXCommonOutput.hlsl: a vector is `2 rg - 1` times the scale, in tiles with y up.
//! The present tile is read at `uv - vector blend`, the next one at `uv + vector (1 - blend)`, each with its own vector at `uv`.

use super::texels::{Texel, mix};

/// A tile as it is read from the files.
pub(super) struct Decoded {
    /// Texels of a side.
    pub size: [usize; 2],
    /// Linear colours times alpha, and alpha; top row first.
    pub color: Vec<Texel>,
    /// `r` and `g`, 0 to 1; empty where there are no motion vectors.
    pub motion: Vec<Texel>,
}

/// The value at a place, 0 to 1 with y up, interpolated between four texels; the border's beyond it.
fn sampled(texels: &[Texel], [width, height]: [usize; 2], [u, v]: [f32; 2]) -> Texel {
    let along = |at: f32, side: usize| {
        let at = (at * side as f32 - 0.5).clamp(0.0, (side - 1) as f32);
        let first = at.floor();
        (first as usize, (first as usize + 1).min(side - 1), at - first)
    };
    let ((left, right, x), (top, bottom, y)) = (along(u, width), along(1.0 - v, height));
    let texel = |column: usize, row: usize| texels.get(row * width + column).copied().unwrap_or_default();
    mix(mix(texel(left, top), texel(right, top), x), mix(texel(left, bottom), texel(right, bottom), x), y)
}

impl Decoded {
    /// The motion vector at a place \[tiles\].
    pub(super) fn vector(&self, uv: [f32; 2], scale: f32) -> [f32; 2] {
        let [r, g, ..] = sampled(&self.motion, self.size, uv);
        [r, g].map(|part| (2.0 * part - 1.0) * scale)
    }
}

/// The colour between two tiles, times alpha; a cross-fade where the scale is `None`.
pub(super) fn between(now: &Decoded, next: &Decoded, blend: f32, scale: Option<f32>, uv: [f32; 2]) -> Texel {
    let moved = |tile: &Decoded, share: f32| {
        let vector = scale.map_or([0.0; 2], |scale| tile.vector(uv, scale));
        sampled(&tile.color, tile.size, [uv[0] + vector[0] * share, uv[1] + vector[1] * share])
    };
    mix(moved(now, -blend), moved(next, 1.0 - blend), blend)
}
