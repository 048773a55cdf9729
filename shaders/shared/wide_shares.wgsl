//! Shares of wide cells
//! Parts that the cells of the finer level take of the wide cells that a stage runs over. Reads the inputs `lower` and `upper` by position.

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

// Parts that a finer cell takes of the wide cell at half its index and of those beside it.
struct Parts { lower: vec4f, upper: vec4f }

fn parts_of(child: Cell) -> Parts {
    if !finer_exists(child) { return Parts(vec4f(), vec4f()); }
    let place = finer_position(child);
    return Parts(lower_at(place), upper_at(place));
}

// Part that a finer cell takes of a wide one.
fn share(child: Cell, wide: Cell) -> f32 {
    let apart = wide - half_of(child);
    var corner = 0;
    for (var axis = 0; axis < DIM; axis++) {
        if apart[axis] < 0 || apart[axis] > 1 { return 0.0; }
        corner += apart[axis] << u32(axis);
    }
    let parts = parts_of(child);
    if corner < 4 { return parts.lower[corner]; }
    return parts.upper[corner - 4];
}

// One of the 27 finer cells around the finer cell that a wide one stands on.
fn around(wide: Cell, index: i32) -> Cell {
    var child = wide * 2;
    var rest = index;
    for (var axis = 0; axis < DIM; axis++) {
        child[axis] += rest % 3 - 1;
        rest /= 3;
    }
    return child;
}
