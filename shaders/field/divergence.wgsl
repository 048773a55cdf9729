//! Divergence of a Field
//! Divergence of a vector by central differences.
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in    a: Field<Vec>                                     Any vector
//! @out   divergence: Field<f32>                            Its divergence [1/m]
//! @param step: f32 = 0.001, 0.0001.., soft 0.001..0.05     Half the distance of a difference [m]
//! @use shared/field_slope

fn stage(position: Vec) -> f32 {
    var divergence = 0.0;
    for (var axis = 0; axis < DIM; axis++) { divergence += dot(Vec(unit(axis)), slope(position, axis)); }
    return divergence;
}
