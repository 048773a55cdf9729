//! Stencil of links
//! The eight cells around a cell, and which of them exist.

// The eight cells around: +x, +y, +x+y, -x+y, and opposite to these.
fn offset(k: i32) -> Cell {
    let along = array<Cell, 4>(unit(0), unit(1), unit(0) + unit(1), unit(1) - unit(0))[k & 3];
    return select(along, -along, k > 3);
}

// Whether there is a cell: inside, or around a periodic axis.
fn exists(cell: Cell) -> bool {
    for (var axis = 0; axis < DIM; axis++) {
        let around = !wall_face(Cell(), axis) && !open_face(Cell(), axis);
        if (cell[axis] < 0 || cell[axis] >= RESOLUTION[axis]) && !around { return false; }
    }
    return true;
}
