//! Gather
//! Carries a residual to cells twice as wide with the weights that interpolate back (Spread Links), transposed. Each cell holds the part of
//! itself and of the cells beside it on the outside of the wide cell, times four: the mean of four (Restrict) is the wide cell's sum. 2D only.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  residual: Grid<f32>                 Residual of these cells [1/s]
//! @in  weights: Grid<vec4f>                Parts that a cell takes of wide cells (Weights of Links)
//! @out parts: Grid<f32>, like residual     Residual of the wide cells, times four, in parts [1/s]

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

// Part that a cell takes of a wide cell. Beyond a periodic border both go on counting.
fn share(cell: Cell, wide: Cell) -> f32 {
    if !exists(cell) { return 0.0; }
    let parts = weights(cell);
    var upper = wide - half_of(cell);
    // With a minus sign it takes of wide cells one lower, across the line of two it is on.
    if any(parts < vec4f()) { upper += select(unit(1), unit(0), (cell.x & 1) == 0); }
    if min(upper.x, upper.y) < 0 || max(upper.x, upper.y) > 1 { return 0.0; }
    return abs(parts[upper.x + 2 * upper.y]);
}

// The wide cell at half the index of a cell. Around a box of n cells there are n / 2 of them, rounded up.
fn half_of(cell: Cell) -> Cell {
    var half = Cell();
    for (var axis = 0; axis < 2; axis++) {
        let n = RESOLUTION[axis];
        let turns = (cell[axis] + 2 * n) / n - 2;
        half[axis] = (cell[axis] - turns * n) / 2 + turns * ((n + 1) / 2);
    }
    return half;
}

// Whether there is a cell: inside, or around a periodic axis.
fn exists(cell: Cell) -> bool {
    for (var axis = 0; axis < DIM; axis++) {
        let around = !wall_face(Cell(), axis) && !open_face(Cell(), axis);
        if (cell[axis] < 0 || cell[axis] >= RESOLUTION[axis]) && !around { return false; }
    }
    return true;
}
