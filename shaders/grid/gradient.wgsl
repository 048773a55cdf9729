//! Gradient
//! Gradient of a scalar by second-order differences: central ones inside and around a periodic axis, one-sided ones over three cells
//! next to a border. So values outside the grid do not count.
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in  a: Grid<f32>                      Any scalar
//! @out gradient: Grid<Vec>, like a       Its gradient [1/m]

fn stage(cell: Cell) -> Vec {
    var gradient = Vec();
    for (var axis = 0; axis < DIM; axis++) { gradient[axis] = slope(cell, axis); }
    return gradient;
}

// Second-order difference along an axis. Next to a border, only cells inside count.
fn slope(cell: Cell, axis: i32) -> f32 {
    let e = unit(axis);
    let first = wall_face(cell, axis) || open_face(cell, axis);
    let last = wall_face(cell + e, axis) || open_face(cell + e, axis);
    if !first && !last { return (a(cell + e) - a(cell - e)) / (2.0 * CELL_SIZE); }
    let inward = select(-e, e, first);
    let rise = 4.0 * a(cell + inward) - 3.0 * a(cell) - a(cell + 2 * inward);
    return select(-rise, rise, first) / (2.0 * CELL_SIZE);
}
