//! Divergence (staggered)
//! Net outflow of a cell through its faces:  div(u) = sum over axes of (u_upper - u_lower) / h.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965; Bridson, Fluid Simulation for Computer Graphics, ch. 5.
//!
//! @in  velocity: FaceGrid                       Flow on the faces [m/s]
//! @out divergence: Grid<f32>, like velocity     Outflow per volume [1/s]

fn stage(cell: Cell) -> f32 {
    var outflow = 0.0;
    for (var axis = 0; axis < DIM; axis++) {
        outflow += velocity_face(cell, 2 * axis + 1) - velocity_face(cell, 2 * axis);
    }
    return outflow / CELL_SIZE;
}
