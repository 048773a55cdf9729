//! Blend Fields
//! Blends from one field to another:  (1 - w) a + w b,  w clamped to 0..1.
//! Blend potentials rather than velocities: the curl of a blend conserves volume, a blend of curls does not.
//! Keywords: mix, lerp, interpolate, crossfade
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, section 2.3.
//!
//! @in  a: Field<F>                   Where w is 0
//! @in  b: Field<F>                   Where w is 1
//! @in  weight: Field<f32> = 0.5      w
//! @out blended: Field<F>             The blend

fn stage(position: Vec) -> F {
    let weight = clamp(weight(position), 0.0, 1.0);
    return a(position) * (1.0 - weight) + b(position) * weight;
}
