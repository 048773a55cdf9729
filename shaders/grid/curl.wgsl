//! Curl of a Grid
//! Curl of any vector by second-order differences: central ones inside and around a periodic axis, one-sided ones over three cells
//! next to a border. So values outside the grid do not count. In 2D it is (0, 0, w).
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in  a: Grid<Vec>                   Any vector
//! @out curl: Grid<vec3f>, like a      Its curl [1/m]
//! @use shared/space
//! @use shared/grid_slope

fn stage(cell: Cell) -> vec3f {
    var curl = vec3f();
    for (var axis = 0; axis < DIM; axis++) { curl += cross(in_space(Vec(unit(axis))), in_space(slope(cell, axis))); }
    return curl;
}
