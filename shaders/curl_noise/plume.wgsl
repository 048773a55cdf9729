//! Plume
//! Makes the turbulence of a rising column grow with height:  ramp((y - base) / height) psi.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise, SIGGRAPH 2007, section 2.3; edom18, Curl Noise (heightFactor).
//!
//! @in    potential: Field<F>                      Potential of the turbulence [m^2/s]
//! @out   rising: Field<F>                         Zero at the base, the full potential from `height` above it [m^2/s]
//! @param base: f32 = 0, soft -4..4                Height of the source [m]
//! @param height: f32 = 1, 0.001.., soft 0.1..10   Height over which the turbulence grows [m]

fn stage(position: Vec) -> F {
    let x = clamp((position.y - params.base) / params.height, -1.0, 1.0);
    return potential(position) * (x * (1.875 + x * x * (0.375 * x * x - 1.25)));
}
