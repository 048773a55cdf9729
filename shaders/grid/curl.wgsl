//! Curl of a Grid
//! Curl of any vector by second-order differences: central ones inside and around a periodic axis, one-sided ones over three cells
//! next to a border. So values outside the grid do not count. In 2D it is (0, 0, w).
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in  a: Grid<Vec>                   Any vector
//! @out curl: Grid<vec3f>, like a      Its curl [1/m]

fn stage(cell: Cell) -> vec3f {
    var curl = vec3f();
    for (var axis = 0; axis < DIM; axis++) { curl += cross(in_space(Vec(unit(axis))), in_space(slope(cell, axis))); }
    return curl;
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

// A domain vector in 3D; a 2D one lies in the plane z = 0.
fn in_space(v: Vec) -> vec3f {
    return vec3f(v.xy, select(0.0, v[DIM - 1], DIM == 3));
}
