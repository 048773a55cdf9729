//! Norms: Sums
//! Integral of the length, of its square, and the largest length of a grid of numbers or vectors, for Norms.
//! Added in f32 as a tree, so the error is below 2e-6 of the sum of magnitudes for up to a million cells, and typically 1e-7.
//! Source: definition.
//!
//! @in  field: Grid<F>                  Any values, such as an error
//! @out l1: f32, reduce sum             Integral of |q|
//! @out square: f32, reduce sum         Integral of |q|^2
//! @out largest: f32, reduce max        Largest |q|

fn stage(cell: Cell) -> Result {
    let size = length(field(cell));
    let volume = pow(CELL_SIZE, f32(DIM));
    return Result(size * volume, size * size * volume, size);
}
