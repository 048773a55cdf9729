//! Divergence of a Grid
//! Divergence of any vector by second-order differences: central ones inside and around a periodic axis, one-sided ones over three cells
//! next to a border. So values outside the grid do not count; for a flow with walls use fluid/divergence.
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in  a: Grid<Vec>                        Any vector
//! @out divergence: Grid<f32>, like a       Its divergence [1/m]

fn stage(cell: Cell) -> f32 {
    var divergence = 0.0;
    for (var axis = 0; axis < DIM; axis++) { divergence += dot(Vec(unit(axis)), slope(cell, axis)); }
    return divergence;
}

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
