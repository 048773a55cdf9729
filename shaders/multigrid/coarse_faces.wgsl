//! Coarse Faces
//! Open parts of the faces of cells twice as wide: the mean of the faces that a face covers, and half as much of those in the middle of the
//! cells on either side. Borders of the domain are left to the sweeps, which know what part of a wide cell lies inside. A wide cell stands for the part
//! of the fluid that most of its cells belong to, so that no correction passes from a room to another.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992 (finite volumes).
//!
//! @in  weight: FaceGrid                  Open part of each face, 0 on walls
//! @in  part: Grid<u32> = 0               Labels (Connected Parts); faces between wide cells of two parts are closed
//! @out coarse: FaceGrid, half weight     The same for wider cells
//! @out parts: Grid<u32>, half weight     Their labels
//! @use shared/coarse_parts

fn stage(cell: Cell) -> Result {
    var faces = Vec();
    var own = 0u;
    if part_wired { own = part_of(cell); }
    for (var axis = 0; axis < DIM; axis++) {
        let normal = Vec(unit(axis));
        // The last of an odd number of cells extends beyond the domain.
        let end = Vec(FINEST) * (CELL_SIZE / f32(WIDENING));
        let middle = select((Vec(cell) + 0.5) * CELL_SIZE, min(Vec(cell) * CELL_SIZE, end), normal > Vec());
        let across = weight_at(middle)[axis];
        let before = weight_at(middle - 0.5 * CELL_SIZE * normal)[axis];
        let behind = weight_at(middle + 0.5 * CELL_SIZE * normal)[axis];
        // A position rounds, so a closed face shows some millionths of those beside it.
        faces[axis] = select(0.25 * before + 0.5 * across + 0.25 * behind, 0.0, across <= 0.001 * (before + behind) || parts_meet(cell, axis, own));
    }
    return Result(faces, own);
}
