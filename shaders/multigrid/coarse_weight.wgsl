//! Coarse Weight
//! Face weights of cells twice as wide: the mean of the faces that a face covers, so a wall over half of it halves the weight.
//! A wide cell stands for the part of the fluid that most of its cells belong to, so that no correction passes from a room to another.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992 (finite volumes).
//!
//! @in  weight: FaceGrid, edge zero       Inverse mass on each face, 0 on walls [m^3/kg]
//! @in  part: Grid<u32> = 0               Labels (Connected Parts); faces between wide cells of two parts are closed
//! @out coarse: FaceGrid, half weight     The same for wider cells [m^3/kg]
//! @out parts: Grid<u32>, half weight     Their labels
//! @use shared/coarse_parts

fn stage(cell: Cell) -> Result {
    var faces = Vec();
    var own = 0u;
    if part_wired { own = part_of(cell); }
    for (var axis = 0; axis < DIM; axis++) {
        let normal = Vec(unit(axis));
        let middle = (Vec(cell) + 0.5 - 0.5 * normal) * CELL_SIZE;
        let across = weight_at(middle)[axis];
        // The faces in the middle of either cell count too: a narrow place is narrow over a part of the way only, and a
        // wide cell that lets too little through is corrected too much.
        let before = weight_at(middle + before_first(cell, axis) * normal - 0.5 * CELL_SIZE * normal)[axis];
        let behind = weight_at(middle + 0.5 * CELL_SIZE * normal)[axis];
        if open_face(cell, axis) {
            // The pressure is zero in the middle of the first of the finest cells beyond, which a wide cell is nearer to in its own widths.
            let nearer = f32(WIDENING + 2) / f32(WIDENING + 1);
            // With an odd number of cells the border lies inside the last wide cell.
            let finer = (2 * FINEST[axis] + WIDENING - 1) / WIDENING;
            faces[axis] = nearer * select(across, before, 2 * cell[axis] > finer);
            continue;
        }
        // A position rounds, so a closed face shows some millionths of those beside it.
        let closed = across <= 0.001 * (before + behind) || wall_face(cell, axis) || parts_meet(cell, axis, own);
        faces[axis] = select(0.25 * before + 0.5 * across + 0.25 * behind, 0.0, closed);
    }
    return Result(faces, own);
}

// Around a periodic axis the last faces come before the first: the length of the box there, or zero.
fn before_first(cell: Cell, axis: i32) -> f32 {
    let around = cell[axis] == 0 && !wall_face(cell, axis) && !open_face(cell, axis);
    let finer = (2 * FINEST[axis] + WIDENING - 1) / WIDENING;
    return select(0.0, 0.5 * CELL_SIZE * f32(finer), around);
}
