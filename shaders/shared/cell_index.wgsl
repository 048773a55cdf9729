//! Index of a cell
//! Cells by their index, x first.

// The index of a cell.
fn index(cell: Cell) -> i32 {
    var index = 0;
    for (var axis = DIM - 1; axis >= 0; axis--) { index = index * RESOLUTION[axis] + cell[axis]; }
    return index;
}

// The cell that a label names.
fn first_cell(label: u32) -> Cell {
    var place = Cell();
    var rest = i32(label - 1u);
    for (var axis = 0; axis < DIM; axis++) {
        let next = rest / RESOLUTION[axis];
        place[axis] = rest - next * RESOLUTION[axis];
        rest = next;
    }
    return place;
}
