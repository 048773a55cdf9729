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
    for (var face = 0; face < FACES; face++) {
        inflow += weight_face(cell, face) * (direction(neighbor(cell, face)) - direction(cell));
    }
    let change = inflow / (CELL_SIZE * CELL_SIZE);
    return Result(change, -direction(cell) * change);
}
