//! Length of a Grid
//! The length of a vector in each cell:  |a|,  of a scalar its magnitude.
//! Keywords: magnitude, norm, absolute value
//! Source: none.
//!
//! @in  a: Grid<F>                      A grid of vectors or numbers
//! @out magnitude: Grid<f32>, like a    Its length

fn stage(cell: Cell) -> f32 {
    return length(a(cell));
}
