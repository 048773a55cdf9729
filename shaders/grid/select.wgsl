//! Switch Grids
//! Chooses between two values in each cell:  b where the mask is above the threshold, a elsewhere.
//! Keywords: select, if, choose, mask, condition
//! Source: none.
//!
//! @in    a: Grid<T> = 0                     Where the mask is not above the threshold
//! @in    b: Grid<T> = 0                     Where it is
//! @in    mask: Grid<f32>                    The mask, such as the result of a comparison
//! @out   result: Grid<T>                    The value that was chosen
//! @param threshold: f32 = 0.5, soft 0..1    Largest value of the mask that chooses a

fn stage(cell: Cell) -> T {
    return select(a(cell), b(cell), mask(cell) > params.threshold);
}
