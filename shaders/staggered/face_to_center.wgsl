//! Face to Centre
//! Averages a staggered velocity to the cell centres:  u = (u on the lower face + u on the upper face) / 2 along each axis.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965 (staggered grid).
//!
//! @in  velocity: FaceGrid                     Flow on the faces [m/s]
//! @out result: Grid<Vec>, like velocity       The same flow at cell centres [m/s]

fn stage(cell: Cell) -> Vec {
    var flow = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        flow += Vec(unit(axis)) * 0.5 * (velocity_face(cell, 2 * axis) + velocity_face(cell, 2 * axis + 1));
    }
    return flow;
}
