//! Vortex Particle
//! Potential of a spinning ball of fluid:  f(q) (R^2 - |x - x0|^2) / 2 w,  q = |x - x0| / R,  f = (1 - q^2)^2 / 3.
//! With this f it rotates at  w (1 - q^2)^2:  the centre has the vorticity 2 w, and outside R the fluid is at rest. A 2D domain uses z.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equation 7.
//!
//! @out   potential: Field<vec3f>                                            psi; its curl is the flow [m^2/s]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position         x0 [m]
//! @param radius: f32 = 0.2, 0.001.., soft 0.01..1, handle radius of center  R [m]
//! @param angular: vec3f = (0, 0, 5), soft -20..20                           w, angular velocity of the centre [rad/s]

fn stage(position: Vec) -> vec3f {
    let q = length(position - params.center) / params.radius;
    let left = max(1.0 - q * q, 0.0);
    return (params.radius * params.radius / 6.0 * left * left * left) * params.angular;
}
