//! Vortex Curve
//! Potential of a smoke ring, a vortex along a circle:  f(q) (R^2 - |x - x_C|^2) / 2 w_C,  q = |x - x_C| / R,
//! with x_C the closest point of the circle, w_C along its tangent and f = (1 - q^2)^2 / 3, for which the core turns at w.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equation 8.
//!
//! @out   potential: Field<vec3f>                                             psi; its curl is the flow [m^2/s]
//! @param center: vec3f = (0.5, 0.5, 0.5), soft -2..2, handle position        Centre of the circle [m]
//! @param axis: vec3f = (0, 1, 0), soft -1..1, handle direction of center     Axis of the circle: direction of the flow through it, of any length
//! @param radius: f32 = 0.25, 0.001.., soft 0.01..2, handle radius of center  Radius of the circle [m]
//! @param core: f32 = 0.15, 0.001.., soft 0.01..1                             R, radius of the vortex core; less than the circle's radius [m]
//! @param angular: f32 = 5, soft -20..20                                      w, angular velocity of the core [rad/s]

fn stage(position: Vec) -> vec3f {
    let away = vec3f(position.xy, select(0.0, position[DIM - 1], DIM == 3)) - params.center;
    let axis = params.axis / max(length(params.axis), 1e-20);
    let across = away - dot(away, axis) * axis;
    let outward = across / max(length(across), 1e-20);
    let q = length(away - params.radius * outward) / params.core;
    let left = max(1.0 - q * q, 0.0);
    return (params.core * params.core / 6.0 * left * left * left * params.angular) * cross(axis, outward);
}
