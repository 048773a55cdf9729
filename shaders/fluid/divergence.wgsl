//! Divergence
//! Central difference at cell centres:  div(u) = sum over faces of n . u(neighbour) / 2h.
//! Source: Stam 1999; Harris, GPU Gems ch. 38, 2004.
//!
//! @in  velocity: Grid<Vec>       Flow [m/s]
//! @out divergence: Grid<f32>     Outflow per volume [1/s]

fn stage(cell: Cell) -> f32 {
    var outflow = 0.0;
    for (var face = 0; face < FACES; face++) { outflow += dot(face_normal(face), velocity(neighbor(cell, face))); }
    return outflow / (2.0 * CELL_SIZE);
}
