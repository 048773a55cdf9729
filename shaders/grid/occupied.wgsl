//! Occupied Cells
//! 1 where the magnitude of a grid is above a threshold, or where a source is not zero; 0 elsewhere. As the `where` of stages, it
//! limits them to the blocks of cells in which there is something, and to those beside them.
//! Keywords: where, mask, threshold, sparse, active blocks, narrow band
//! Source: none.
//!
//! @in    a: Grid<F>                                  What stages work on, such as the density of a gas
//! @in    source: Grid<f32> = 0                       What is added in this frame. It counts wherever it is not zero
//! @out   occupied: Grid<f32>, like a                 1 or 0
//! @param threshold: f32 = 0.001, 0.., soft 0..0.1    Magnitude, in the unit of a, up to which a cell is empty

fn stage(cell: Cell) -> f32 {
    return f32(length(a(cell)) > params.threshold || source(cell) != 0.0);
}
