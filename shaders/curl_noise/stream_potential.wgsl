//! Stream Function as Potential
//! A stream function of the plane as a vector potential:  (0, 0, psi). Vortices, rings and rigid bodies can then be added to it.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, section 2.1.
//!
//! @in  stream: Field<f32>          psi [m^2/s]
//! @out potential: Field<vec3f>     Its curl is the flow [m^2/s]

fn stage(position: Vec) -> vec3f {
    return vec3f(0.0, 0.0, stream(position));
}
