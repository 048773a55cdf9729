//! Scale Grid
//! A grid of any type times a grid of numbers:  factor weight a.  For a mask, a density, or a number alone.
//! Keywords: multiply by number, gain, mask
//! Source: none, multiplication.
//!
//! @in    a: Grid<F>                           A grid
//! @in    weight: Grid<f32> = 1                Number for each cell
//! @out   scaled: Grid<F>, like a              The grid times the numbers
//! @param factor: f32 = 1, soft -4..4          Number for all cells

fn stage(cell: Cell) -> F {
    return a(cell) * (params.factor * weight(cell));
}
