//! Tone by Place
//! Gives each new particle a permanent tone between 0 and 1 by its position, in bands across a direction: bands of
//! dye. Put it after Age, which determines new particles, and give the State the attribute `tone`.
//! Source: none.
//!
//! @inout particles: Particles{position: Vec, age: f32, tone: f32} -> {tone: f32}    The set
//! @param across: Vec = (0, 1, 0), soft -1..1, handle direction  Direction across the bands, of any length
//! @param period: f32 = 0.25, 0.0001.., soft 0.01..2             Period of the bands [m]
//! @param offset: f32 = 0, soft -1..1                            Position of the first band [m]

fn stage(particle: Particle) -> f32 {
    if particle.age > 1.5 * frame.dt { return particle.tone; }
    let place = dot(particle.position, params.across) / max(length(params.across), 1e-20) - params.offset;
    return abs(2.0 * fract(place / params.period) - 1.0);
}
