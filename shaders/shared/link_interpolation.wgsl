//! Interpolation by links
//! Parts that a cell takes of wide cells. Reads the input `weights`.
//! @use shared/link_stencil

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
