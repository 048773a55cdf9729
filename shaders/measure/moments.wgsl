//! Moments
//! Integral of a scalar and of its product with the position, for Centroid.
//! Added in f32 as a tree, so the error is below 2e-6 of the sum of magnitudes for up to a million cells, and typically 1e-7.
//! Source: definition.
//!
//! @in  amount: Grid<f32>                 A density, such as smoke or a volume fraction
//! @out total: f32, reduce sum            Its integral
//! @out moment: Vec, reduce sum           Integral of amount times position

fn stage(cell: Cell) -> Result {
    let part = amount(cell) * pow(CELL_SIZE, f32(DIM));
    return Result(part, part * position(cell));
}
