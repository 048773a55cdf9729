//! Carried Motion
//! Rigid Motion of a body whose place and velocity a stage computes:  psi + A(d) psi_rigid,  with
//! psi_rigid = V x (x - x0) / (DIM - 1) + (R^2 - |x - x0|^2) / 2 w  (the paper's V x (x - x0) has the curl 2 V in 3D).
//! A decreases with the inverse square of the distance, to zero at the blend width. At the surface the flow is the body's
//! motion plus that of psi.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equation 6.
//! Keywords: body, moving, grabbed
//!
//! @in    potential: Field<vec3f> = 0                                   psi, constrained at the body [m^2/s]
//! @in    shape: Field<f32>                                             Signed distance to the body [m]
//! @in    center: vec3f                                                 x0, such as from Path or Grabbed Body [m]
//! @in    linear: vec3f                                                 V, its velocity [m/s]
//! @in    angular: vec3f = 0                                            w; a 2D domain uses z, anticlockwise [rad/s]
//! @out   moving: Field<vec3f>                                          psi with the body's motion [m^2/s]
//! @param blend: f32 = 0.3, 0.001.., soft 0.01..2                       Distance at which the motion has faded [m]
//! @param reach: f32 = 0.5, 0.., soft 0..2                              R: the body's radius and the blend together [m]
//! @use shared/blend

fn stage(position: Vec) -> vec3f {
    let faded = falloff(shape(position));
    let psi = potential(position);
    if faded == 0.0 { return psi; }
    var away = vec3f(position.xy, select(0.0, position[DIM - 1], DIM == 3)) - center();
    var linear = linear();
    if DIM == 2 {
        away.z = 0.0;
        linear.z = 0.0;
    }
    let level = params.reach * params.reach - dot(away, away);
    return psi + faded * (cross(linear, away) / f32(DIM - 1) + 0.5 * level * angular());
}
