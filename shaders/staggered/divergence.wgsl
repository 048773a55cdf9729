//! Divergence (staggered)
//! Net outflow of a cell through its faces:  div(u) = sum over axes of (u_upper - u_lower) / h.  Where an obstacle covers a part of a face,
//! the fluid flows through the open part and the body through the rest:  a u + (1 - a) u_body.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965; Bridson, Fluid Simulation for Computer Graphics, ch. 5; Batty, Bertails and
//! Bridson, SIGGRAPH 2007 (obstacles).
//!
//! @in  velocity: FaceGrid                       Flow on the faces [m/s]
//! @in  fraction: FaceGrid = 1                   Open part of each face (see Obstacle)
//! @in  motion: FaceGrid = 0, velocity of fraction  Velocity of the obstacles [m/s]
//! @out divergence: Grid<f32>, like velocity     Outflow per volume [1/s]

fn stage(cell: Cell) -> f32 {
    var outflow = 0.0;
    for (var axis = 0; axis < DIM; axis++) {
        outflow += through(cell, 2 * axis + 1) - through(cell, 2 * axis);
    }
    return outflow / CELL_SIZE;
}

fn through(cell: Cell, face: i32) -> f32 {
    let axis = face_axis(face);
    if !fraction_wired || inflow_face(cell + unit(axis) * (face & 1), axis) { return velocity_face(cell, face); }
    return mix(motion_face(cell, face), velocity_face(cell, face), fraction_face(cell, face));
}
