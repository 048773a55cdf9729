//! Centre to Face
//! Averages a centred velocity onto the faces:  u_f = (u(cell) + u(cell - e)) / 2 along each axis;  0 on closed borders; an inflow
//! has the velocity of the cell inside.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965 (staggered grid).
//!
//! @in  velocity: Grid<Vec>                 Flow at cell centres [m/s]
//! @out result: FaceGrid, like velocity     The same flow on the faces [m/s]

fn stage(cell: Cell) -> Vec {
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let normal = Vec(unit(axis));
        let across = 0.5 * dot(normal, velocity(cell) + velocity(cell - unit(axis)));
        faces += normal * select(across, 0.0, wall_face(cell, axis) && !inflow_face(cell, axis));
    }
    return faces;
}
