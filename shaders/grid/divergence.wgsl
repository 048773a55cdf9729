//! Divergence of a Grid
//! Divergence of any vector by second-order differences: central ones inside and around a periodic axis, one-sided ones over three cells
//! next to a border. So values outside the grid do not count; for a flow with walls use fluid/divergence.
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in  a: Grid<Vec>                        Any vector
//! @out divergence: Grid<f32>, like a       Its divergence [1/m]
//! @use shared/grid_slope

fn stage(cell: Cell) -> f32 {
    var divergence = 0.0;
    for (var axis = 0; axis < DIM; axis++) { divergence += dot(Vec(unit(axis)), slope(cell, axis)); }
    return divergence;
}
