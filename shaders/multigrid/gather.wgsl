//! Gather
//! Carries a residual to cells twice as wide with the weights that interpolate back (Spread Links), transposed. Each cell holds the part of
//! itself and of the cells before it, times four: the mean of four (Restrict) is the wide cell's sum. 2D only.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  residual: Grid<f32>                 Residual of these cells [1/s]
//! @in  weights: Grid<vec4f>                Parts that a cell takes of wide cells
//! @out parts: Grid<f32>, like residual     Residual of the wide cells, times four, in parts [1/s]

fn stage(cell: Cell) -> f32 {
    var sum = 0.0;
    for (var y = -1; y <= 0; y++) {
        for (var x = -1; x <= 0; x++) {
            // Before the first cell of two lies one that takes part of the same wide cell.
            if x < -(1 - (cell.x & 1)) || y < -(1 - (cell.y & 1)) { continue; }
            let child = cell + unit(0) * x + unit(1) * y;
            if exists(child) { sum += weights(child)[-x - 2 * y] * residual(child); }
        }
    }
    return 4.0 * sum;
}

// Whether there is a cell: inside, or around a periodic axis.
fn exists(cell: Cell) -> bool {
    for (var axis = 0; axis < DIM; axis++) {
        let around = !wall_face(Cell(), axis) && !open_face(Cell(), axis);
        if (cell[axis] < 0 || cell[axis] >= RESOLUTION[axis]) && !around { return false; }
    }
    return true;
}
