//! Compare Grids
//! 1 where a comparison of two scalars holds and 0 elsewhere:  a < b,  a > b  or  |a - b| <= tolerance.  The result is a mask.
//! Source: none.
//!
//! @in    a: Grid<f32>                      A scalar
//! @in    b: Grid<f32> = 0                  Another, in the same unit
//! @out   result: Grid<f32>, like a           1 or 0
//! @param test: i32 = 0, 0..2, fixed        0 less, 1 greater, 2 equal
//! @param tolerance: f32 = 0, 0..           Difference up to which values are equal

fn stage(cell: Cell) -> f32 {
    let apart = a(cell) - b(cell);
    if params.test == 0 { return select(0.0, 1.0, apart < 0.0); }
    if params.test == 1 { return select(0.0, 1.0, apart > 0.0); }
    return select(0.0, 1.0, abs(apart) <= params.tolerance);
}
