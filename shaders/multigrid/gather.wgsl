//! Gather
//! Carries a residual to cells twice as wide with the weights that interpolate back (Spread Links), transposed. Each cell holds the part of
//! itself and of the cells beside it on the outside of the wide cell, times four: the mean of four (Restrict) is the wide cell's sum. 2D only.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  residual: Grid<f32>                 Residual of these cells [1/s]
//! @in  weights: Grid<vec4f>                Parts that a cell takes of wide cells (Weights of Links)
//! @out parts: Grid<f32>, like residual     Residual of the wide cells, times four, in parts [1/s]
//! @use shared/link_interpolation

fn stage(cell: Cell) -> f32 {
    let odd = cell - 2 * (cell / 2);
    var sum = 0.0;
    for (var y = 0; y < 3; y++) {
        for (var x = 0; x < 3; x++) {
            // Up to two cells before the first cell of the wide one, and behind the last.
            let child = cell + unit(0) * (2 * odd.x - 2 + x) + unit(1) * (2 * odd.y - 2 + y);
            sum += share(child, half_of(cell)) * residual(child);
        }
    }
    return 4.0 * sum;
}
