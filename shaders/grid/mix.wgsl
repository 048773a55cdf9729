//! Mix Grids
//! Blends from one grid to another:  (1 - w) a + w b,  w clamped to 0..1.
//! Keywords: lerp, blend, interpolate, crossfade
//! Source: none, linear interpolation.
//!
//! @in  a: Grid<F>                  Where w is 0
//! @in  b: Grid<F>                  Where w is 1
//! @in  weight: Grid<f32> = 0.5     w
//! @out mixed: Grid<F>, like a      The blend

fn stage(cell: Cell) -> F {
    let weight = clamp(weight(cell), 0.0, 1.0);
    return a(cell) * (1.0 - weight) + b(cell) * weight;
}
