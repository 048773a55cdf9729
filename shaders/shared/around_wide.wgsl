//! Cells around a wide cell
//! The 27 cells (2D: nine) around a cell of the next level, x first, and links among them. Reads the inputs of Links of a cell in space.
//! @use shared/space_links

const AROUND = 9 + 18 * (DIM - 2); // 3^DIM

// One of them, from the middle.
fn apart(index: i32) -> Cell {
    var away = Cell();
    var rest = index;
    for (var axis = 0; axis < DIM; axis++) {
        away[axis] = rest % 3 - 1;
        rest /= 3;
    }
    return away;
}

// Its index; -1 for cells farther away.
fn index_of(away: Cell) -> i32 {
    var index = 0;
    var stride = 1;
    for (var axis = 0; axis < DIM; axis++) {
        if abs(away[axis]) > 1 { return -1; }
        index += (away[axis] + 1) * stride;
        stride *= 3;
    }
    return index;
}

// Whether a cell is one of the next level.
fn is_wide(cell: Cell) -> bool {
    for (var axis = 0; axis < DIM; axis++) {
        if (cell[axis] & 1) == 1 { return false; }
    }
    return true;
}

// Bits of the cells among those around that positive links of one of them lead to.
fn linked(cell: Cell, index: i32) -> u32 {
    let away = apart(index);
    var bits = 0u;
    if !exists(cell + away) { return bits; }
    for (var k = 0; k < 2 * KEPT; k++) {
        if !links_b_wired && k % KEPT > 2 { continue; }
        let other = index_of(away + offset(k));
        if other < 0 || !exists(cell + away + offset(k)) { continue; }
        if link(cell + away, k) > 0.0 { bits |= 1u << u32(other); }
    }
    return bits;
}

// All that some of them lead to without leaving the cells around.
fn flooded(start: u32, beside: ptr<function, array<u32, 27>>) -> u32 {
    var found = start;
    for (var step = 0; step < 12; step++) {
        let before = found;
        for (var i = 0; i < AROUND; i++) { found |= select(0u, (*beside)[i], (found >> u32(i) & 1u) == 1u); }
        if found == before { break; }
    }
    return found;
}
