//! Normalize Fractions
//! Shares that sum to one:  V'_f = V_f / (V_f + V_g),  V'_g = V_g / (V_f + V_g).  Everything except advection uses these, so
//! that small errors of the sum can't make it unstable.
//! Walls count as a mixture that attracts the fluids: at 0.5 both equally; at 0 they attract g, and f forms beads.
//! Source: saharan, oil clock article, 2016 (last section).
//!
//! @in    fractions: Grid<vec2f>                  Volume fractions V_f and V_g
//! @in    open: Grid<f32> = 1                     1 in cells that fluid can fill, 0 in walls
//! @out   shares: Grid<vec2f>, like fractions     Fractions whose sum is one
//! @param wetting: f32 = 0.5, 0..1                Share of f in walls

fn stage(cell: Cell) -> vec2f {
    let v = fractions(cell);
    let sum = v.x + v.y;
    if open(cell) < 0.5 || sum <= 0.0 { return vec2f(params.wetting, 1.0 - params.wetting); }
    return v / sum;
}
