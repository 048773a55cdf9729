//! Laplacian
//! Laplacian of any value by second-order differences: central ones inside and around a periodic axis, one-sided ones over four cells
//! next to a border. So values outside the grid do not count.
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in  a: Grid<F>                       Any value
//! @out laplacian: Grid<F>, like a       Its Laplacian [1/m^2]

fn stage(cell: Cell) -> F {
    var sum = F();
    for (var axis = 0; axis < DIM; axis++) { sum += bend(cell, axis); }
    return sum / (CELL_SIZE * CELL_SIZE);
}

// Second difference along an axis. Next to a border, only cells inside count.
fn bend(cell: Cell, axis: i32) -> F {
    let e = unit(axis);
    let first = wall_face(cell, axis) || open_face(cell, axis);
    let last = wall_face(cell + e, axis) || open_face(cell + e, axis);
    if !first && !last { return a(cell + e) - 2.0 * a(cell) + a(cell - e); }
    let inward = select(-e, e, first);
    return 2.0 * a(cell) - 5.0 * a(cell + inward) + 4.0 * a(cell + 2 * inward) - a(cell + 3 * inward);
}
