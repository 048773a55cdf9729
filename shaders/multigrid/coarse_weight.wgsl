//! Coarse Weight
//! Face weights of cells twice as wide: the mean of the faces that a face covers, so a wall over half of it lets half through.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992 (finite volumes).
//!
//! @in  weight: FaceGrid                  Inverse mass on each face, 0 on walls [m^3/kg]
//! @out coarse: FaceGrid, half weight     The same for wider cells [m^3/kg]

fn stage(cell: Cell) -> Vec {
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let middle = (Vec(cell) + 0.5 - 0.5 * Vec(unit(axis))) * CELL_SIZE;
        faces[axis] = select(weight_at(middle)[axis], 0.0, wall_face(cell, axis));
    }
    return faces;
}
