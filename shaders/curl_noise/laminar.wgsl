//! Laminar Potential
//! Potential of a uniform wind:  V x (x - x0) / (DIM - 1),  whose curl is V. Constrain it at an obstacle, with x0 in the
//! obstacle's centre, and the wind flows around it. A 2D domain uses the z component.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, section 3 (psi_L).
//!
//! @out   potential: Field<vec3f>                                     psi; its curl is the wind [m^2/s]
//! @param wind: Vec = (1, 0, 0), soft -4..4, handle vector of center  V [m/s]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position  x0 [m]
//! @use shared/space

fn stage(position: Vec) -> vec3f {
    return cross(in_space(params.wind), in_space(position - params.center)) / f32(DIM - 1);
}
