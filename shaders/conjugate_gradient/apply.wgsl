//! Apply
//! Change of the divergence along a direction,  q = div(w grad d),  and the curvature  -d q.
//! Source: Shewchuk, An Introduction to the Conjugate Gradient Method Without the Agonizing Pain, 1994, B3.
//!
//! @in  direction: Grid<f32>, open zero          Search direction d
//! @in  weight: FaceGrid = 1          Inverse mass on each face, 0 on walls
//! @out change: Grid<f32>             q
//! @out curvature: f32, reduce sum    Sum of -d q

fn stage(cell: Cell) -> Result {
    var inflow = 0.0;
    for (var axis = 0; axis < DIM; axis++) { inflow += gained(cell, axis); }
    let change = inflow / (CELL_SIZE * CELL_SIZE);
    return Result(change, -direction(cell) * change);
}

// Through both faces along an axis. Without weights both sides come first, so that what is symmetric remains so to the bit.
fn gained(cell: Cell, axis: i32) -> f32 {
    let below = neighbor(cell, 2 * axis);
    let above = neighbor(cell, 2 * axis + 1);
    if !weight_wired { return weight(cell)[axis] * ((direction(below) - direction(cell)) + (direction(above) - direction(cell))); }
    return weight_face(cell, 2 * axis) * (direction(below) - direction(cell))
        + weight_face(cell, 2 * axis + 1) * (direction(above) - direction(cell));
}
