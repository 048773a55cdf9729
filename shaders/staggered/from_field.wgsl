//! Faces from Field
//! Evaluates the normal component of a velocity at the centre of every face. Set the node's `on` to the domain of the grid.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965 (staggered grid).
//!
//! @in  velocity: Field<Vec>      Flow at every position [m/s]
//! @out result: FaceGrid          The flow through the faces [m/s]

fn stage(cell: Cell) -> Vec {
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let normal = Vec(unit(axis));
        faces += normal * dot(normal, velocity((Vec(cell) + 0.5 - 0.5 * normal) * CELL_SIZE));
    }
    return faces;
}
