//! Shedding
//! Life of a shed vortex. Reads `params.life` and `params.rise`.

// Strength of a vortex of this age [s], from 0 to 1 and back.
fn presence(age: f32) -> f32 {
    let left = max(1.0 - age / params.life, 0.0);
    return smoothstep(0.0, params.rise, age) * left * left;
}
