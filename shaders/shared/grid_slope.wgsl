//! Slope of a grid
//! Differences of the input `a` inside the borders of its domain.

// Second-order difference along an axis. Next to a border, only cells inside count.
fn slope(cell: Cell, axis: i32) -> Vec {
    let e = unit(axis);
    let first = wall_face(cell, axis) || open_face(cell, axis);
    let last = wall_face(cell + e, axis) || open_face(cell + e, axis);
    if !first && !last { return (a(cell + e) - a(cell - e)) / (2.0 * CELL_SIZE); }
    let inward = select(-e, e, first);
    let rise = 4.0 * a(cell + inward) - 3.0 * a(cell) - a(cell + 2 * inward);
    return select(-rise, rise, first) / (2.0 * CELL_SIZE);
}
