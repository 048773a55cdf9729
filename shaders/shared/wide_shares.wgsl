//! Shares of wide cells
//! Parts that the cells of the finer level take of the wide cells that a stage runs over. Reads the inputs `lower` and `upper` by position.
//! @use shared/shifted_parts
//! @use shared/within_two

const AROUND = 9 + 18 * (DIM - 2); // 3^DIM

// The finer level's cells along each axis.
fn finer() -> Cell {
    return (2 * FINEST + WIDENING - 1) / WIDENING;
}

// The centre of a finer cell.
fn finer_position(child: Cell) -> Vec {
    return (Vec(child) + 0.5) * (0.5 * CELL_SIZE);
}

// Whether there is a finer cell: inside, or around a periodic axis.
fn finer_exists(child: Cell) -> bool {
    for (var axis = 0; axis < DIM; axis++) {
        let around = !wall_face(Cell(), axis) && !open_face(Cell(), axis);
        if (child[axis] < 0 || child[axis] >= finer()[axis]) && !around { return false; }
    }
    return true;
}

// The wide cell at half the index of a finer one. Around a box of n cells there are n / 2 of them, rounded up.
fn half_of(child: Cell) -> Cell {
    var half = Cell();
    for (var axis = 0; axis < DIM; axis++) {
        let n = finer()[axis];
        let turns = (child[axis] + 2 * n) / n - 2;
        half[axis] = (child[axis] - turns * n) / 2 + turns * ((n + 1) / 2);
    }
    return half;
}

// Parts that a finer cell takes of the first of its wide cells and of those beside it.
struct Parts { lower: vec4f, upper: vec4f, first: Cell }

fn parts_of(child: Cell) -> Parts {
    let half = half_of(child);
    if !finer_exists(child) { return Parts(vec4f(), vec4f(), half); }
    let place = finer_position(child);
    let lower = lower_at(place);
    let upper = upper_at(place);
    if !are_marked(lower, upper) { return Parts(lower, upper, half); }
    let scale = divisor(lower, upper);
    return Parts(lower * scale, upper * scale, half + first_wide(scale));
}

// Part that a finer cell takes of a wide one.
fn share(child: Cell, wide: Cell) -> f32 {
    let parts = parts_of(child);
    let apart = wide - parts.first;
    var corner = 0;
    for (var axis = 0; axis < DIM; axis++) {
        if apart[axis] < 0 || apart[axis] > 1 { return 0.0; }
        corner += apart[axis] << u32(axis);
    }
    if corner < 4 { return parts.lower[corner]; }
    return parts.upper[corner - 4];
}

// How many finer cells may take of a wide one: the 27 around the cell that it stands on, or 125 where some are one-sided.
fn children_of(wide: Cell) -> i32 {
    return select(AROUND, WITHIN_TWO, lower_at(finer_position(wide * 2)).x < 0.0);
}

// One of these finer cells.
fn child_of(wide: Cell, index: i32, count: i32) -> Cell {
    var child = wide * 2;
    var rest = index;
    for (var axis = 0; axis < DIM; axis++) {
        child[axis] += rest % 3 - 1;
        rest /= 3;
    }
    if count > AROUND { return wide * 2 + two_apart(index); }
    return child;
}
