//! Stencil of links
//! The eight cells around a cell, and which of them exist.
//! @use shared/existing_cell

// The eight cells around: +x, +y, +x+y, -x+y, and opposite to these.
fn offset(k: i32) -> Cell {
    let along = array<Cell, 4>(unit(0), unit(1), unit(0) + unit(1), unit(1) - unit(0))[k & 3];
    return select(along, -along, k > 3);
}
