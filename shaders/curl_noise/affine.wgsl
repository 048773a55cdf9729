//! Affine Motion
//! Adds the motion of a body that moves, turns and is stretched without a change of volume to a potential that is constrained at it:
//! psi + A(d) psi_affine,  psi_affine = V x r / (DIM - 1) + (R^2 - r^2) / 2 w + k (a . r) (a x r) / (DIM - 1),  r = x - x0.
//! Its curl is  V + w x r + k (a (a . r) - r_across / (DIM - 1)):  along the axis a lengths grow at the rate k, across it they shrink. Where the body is stretched
//! by the factor f(t), k = f' / f. A decreases with the inverse square of the distance, as in Rigid Motion.
//! Source: extends Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equation 6, who leave bodies that
//! deform to later work; potential of a linear field: psi = u x r / 3.
//! Keywords: deform, stretch, squeeze
//!
//! @in    potential: Field<vec3f> = 0                                    psi, constrained at the body [m^2/s]
//! @in    shape: Field<f32>                                              Signed distance to the body as it is now [m]
//! @out   moving: Field<vec3f>                                           psi with the body's motion [m^2/s]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position     x0, the point of the body that moves with V [m]
//! @param linear: Vec = (0, 0, 0), soft -4..4, handle vector of center   V [m/s]
//! @param angular: vec3f = (0, 0, 0), soft -10..10                       w; a 2D domain uses z, anticlockwise [rad/s]
//! @param axis: Vec = (0, 1, 0), soft -1..1, handle direction of center  a, direction of the stretching, of any length
//! @param rate: f32 = 0, soft -4..4                                      k, rate of the stretching [1/s]
//! @param blend: f32 = 0.3, 0.001.., soft 0.01..2                        Distance at which the motion has faded [m]
//! @param reach: f32 = 0.5, 0.., soft 0..2, handle radius of center      R: the body's radius and the blend together [m]
//! @use shared/space
//! @use shared/blend

fn stage(position: Vec) -> vec3f {
    let away = position - params.center;
    let axis = params.axis / max(length(params.axis), 1e-20);
    let stretching = params.rate * dot(axis, away) * axis;
    let level = params.reach * params.reach - dot(away, away);
    let motion = cross(in_space(params.linear + stretching), in_space(away)) / f32(DIM - 1) + 0.5 * level * params.angular;
    return potential(position) + falloff(shape(position)) * motion;
}
