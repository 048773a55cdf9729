//! Blend
//! Weight of what an obstacle drags along. Reads `params.blend`.

// 1 on the surface, 0 from the blend width on, with no kink at either.
fn falloff(distance: f32) -> f32 {
    let q = min(abs(distance) / params.blend, 1.0);
    return (1.0 - q * q) * (1.0 - q * q) / (1.0 + 4.0 * q * q);
}
