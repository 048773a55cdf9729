//! Parts of wide cells
//! Connected parts of the cells below a wide cell. Reads the input `part`.

// The label of cells that belong to no part.
const WALL = 0xffffffffu;

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
