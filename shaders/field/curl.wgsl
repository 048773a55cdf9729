//! Curl of a Field
//! Curl of a vector by central differences. In 2D it is (0, 0, w).
//! Source: LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, ch. 1.
//!
//! @in    a: Field<Vec>                                     Any vector, such as a flow
//! @out   curl: Field<vec3f>                                Its curl [1/m]
//! @param step: f32 = 0.001, 0.0001.., soft 0.001..0.05     Half the distance of a difference [m]
//! @use shared/space
//! @use shared/field_slope

fn stage(position: Vec) -> vec3f {
    var curl = vec3f();
    for (var axis = 0; axis < DIM; axis++) { curl += cross(in_space(Vec(unit(axis))), in_space(slope(position, axis))); }
    return curl;
}
