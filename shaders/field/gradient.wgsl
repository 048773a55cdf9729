//! Gradient of a Field
//! Gradient of a scalar by central differences.
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in    a: Field<f32>                                     Any scalar
//! @out   gradient: Field<Vec>                              Its gradient [1/m]
//! @param step: f32 = 0.001, 0.0001.., soft 0.001..0.05     Half the distance of a difference [m]

fn stage(position: Vec) -> Vec {
    var gradient = Vec();
    for (var axis = 0; axis < DIM; axis++) { gradient[axis] = slope(position, axis); }
    return gradient;
}

fn slope(position: Vec, axis: i32) -> f32 {
    let e = params.step * Vec(unit(axis));
    return (a(position + e) - a(position - e)) / (2.0 * params.step);
}
