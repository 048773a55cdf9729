//! Rigid Motion (2D)
//! Adds the motion of a solid body to a stream function that is constrained at it:  psi + A(d) psi_rigid,  with
//! psi_rigid = V x (x - x0) + (R^2 - |x - x0|^2) / 2 w. A decreases with the inverse square of the distance, to zero at the
//! blend width. At the surface the flow is the body's motion plus a tangential part.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equation 6.
//!
//! @in    potential: Field<f32> = 0                                     psi, constrained at the body [m^2/s]
//! @in    shape: Field<f32>                                             Signed distance to the body [m]
//! @out   moving: Field<f32>                                            psi with the body's motion [m^2/s]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position    x0, the point of the body that moves with V [m]
//! @param linear: Vec = (0, 0, 0), soft -4..4, handle vector of center  V [m/s]
//! @param angular: f32 = 0, soft -10..10                                w, anticlockwise [rad/s]
//! @param blend: f32 = 0.3, 0.001.., soft 0.01..2                       Distance at which the motion has faded [m]
//! @param reach: f32 = 0.5, 0.., soft 0..2, handle radius of center     R: the body's radius and the blend together [m]
//! @use shared/blend

fn stage(position: Vec) -> f32 {
    let away = position.xy - params.center.xy;
    let motion = params.linear.x * away.y - params.linear.y * away.x;
    let level = params.reach * params.reach - dot(away, away);
    return potential(position) + falloff(shape(position)) * (motion + 0.5 * level * params.angular);
}
