//! Sum of Vectors
//! Sum, integral and mean of a grid of vectors:  sum q,  sum q V,  sum q / N,  with V the volume (in 2D the area) of a cell.
//! Added in f32 as a tree, so the error is below 2e-6 of the sum of magnitudes for up to a million cells, and typically 1e-7.
//! Source: definition; Higham, SIAM J. Sci. Comput. 14, 1993 (pairwise summation).
//!
//! @in  field: Grid<Vec>                Any vectors
//! @out sum: Vec, reduce sum            Sum over all cells
//! @out integral: Vec, reduce sum       Integral over the domain [m^DIM]
//! @out mean: Vec, reduce sum           Mean over all cells
//! @use shared/cell_count

fn stage(cell: Cell) -> Result {
    let q = field(cell);
    return Result(q, q * pow(CELL_SIZE, f32(DIM)), q / cells());
}
