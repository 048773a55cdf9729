//! Laplacian of a Field
//! Laplacian of any value by second differences. Their rounding grows as the step shrinks: 1e-7 |a| / step^2.
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in    a: Field<F>                                       Any value
//! @out   laplacian: Field<F>                               Its Laplacian [1/m^2]
//! @param step: f32 = 0.02, 0.0001.., soft 0.005..0.1       Distance of a difference [m]

fn stage(position: Vec) -> F {
    var sum = F();
    for (var axis = 0; axis < DIM; axis++) {
        let e = params.step * Vec(unit(axis));
        sum += a(position + e) - 2.0 * a(position) + a(position - e);
    }
    return sum / (params.step * params.step);
}
