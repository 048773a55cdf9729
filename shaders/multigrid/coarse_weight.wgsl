//! Coarse Weight
//! Face weights of cells twice as wide: the mean of the faces that a face covers, so a wall over half of it halves the weight.
//! A wide cell stands for the part of the fluid that most of its cells belong to, so that no correction passes from a room to another.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992 (finite volumes).
//!
//! @in  weight: FaceGrid, edge zero       Inverse mass on each face, 0 on walls [m^3/kg]
//! @in  part: Grid<u32> = 0               Labels (Connected Parts); faces between wide cells of two parts are closed
//! @out coarse: FaceGrid, half weight     The same for wider cells [m^3/kg]
//! @out parts: Grid<u32>, half weight     Their labels

const WALL = 0xffffffffu;

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
        let before = weight_at(middle - 0.5 * CELL_SIZE * normal)[axis];
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

// The part that most of the cells below belong to; of two that are equal, the first.
fn part_of(cell: Cell) -> u32 {
    let near = vec4u(label_of(cell, 0), label_of(cell, 1), label_of(cell, 2), label_of(cell, 3));
    var far = vec4u(WALL);
    if DIM == 3 { far = vec4u(label_of(cell, 4), label_of(cell, 5), label_of(cell, 6), label_of(cell, 7)); }
    var best = vec2u(WALL, 0u);
    for (var k = 0; k < 4; k++) {
        best = more(best, near[k], near, far);
        if DIM == 3 { best = more(best, far[k], near, far); }
    }
    return best.x;
}

// The label of `best`, beside its count, or the given one if more of the cells have it.
fn more(best: vec2u, label: u32, near: vec4u, far: vec4u) -> vec2u {
    let ones = vec4u(near == vec4u(label)) + vec4u(far == vec4u(label));
    let count = ones.x + ones.y + ones.z + ones.w;
    let takes = label != WALL && (count > best.y || (count == best.y && label < best.x));
    return select(best, vec2u(label, count), takes);
}

// Label of one of the cells below. The last of an odd number of wide cells has some beyond the domain.
fn label_of(cell: Cell, i: i32) -> u32 {
    let child = 2 * cell + unit(0) * (i & 1) + unit(1) * ((i >> 1) & 1) + unit(DIM - 1) * (i >> 2);
    let finer = (2 * FINEST + WIDENING - 1) / WIDENING;
    return select(part_at((Vec(child) + 0.5) * (0.5 * CELL_SIZE)), WALL, any(child >= finer));
}

// Whether another part is on the other side of a lower face.
fn parts_meet(cell: Cell, axis: i32, own: u32) -> bool {
    if !part_wired || wall_face(cell, axis) || open_face(cell, axis) { return false; }
    var other = cell - unit(axis);
    if other[axis] < 0 { other[axis] = RESOLUTION[axis] - 1; }
    return part_of(other) != own;
}
