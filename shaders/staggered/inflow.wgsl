//! Inflow
//! Sets the flow through the `inflow` sides of the domain: the component through each of their faces. The other stages on faces keep it.
//! An expression has its value at the end of the step; what a fluid step sets at both ends are the sides of its own parameters.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965 (staggered grid).
//!
//! @inout velocity: FaceGrid = 0                  Flow on the faces [m/s]
//! @param flow: formula<Vec> = "[1, 0, 0]"        Velocity at a position of the border; a parabola between plates of distance H is 6 position.y (H - position.y) / H^2 times its mean [m/s]

fn stage(cell: Cell) -> Vec {
    var faces = velocity(cell);
    for (var axis = 0; axis < DIM; axis++) {
        let here = (Vec(cell) + 0.5 - 0.5 * Vec(unit(axis))) * CELL_SIZE;
        if inflow_face(cell, axis) { faces[axis] = flow(here)[axis]; }
    }
    return faces;
}
