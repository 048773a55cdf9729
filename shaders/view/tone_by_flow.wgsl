//! Tone by Flow
//! Gives particles a tone between 0 and 1 that increases with the speed of the flow around them. Points shows tones as colours.
//! Source: none.
//!
//! @in    velocity: Field<Vec>                                  Flow that carries them [m/s]
//! @inout particles: Particles{position: Vec} -> {tone: f32}    The set
//! @param slow: f32 = 0, 0.., soft 0..10                        Speed of tone 0 [m/s]
//! @param fast: f32 = 1, 0.., soft 0..10                        Speed of tone 1 [m/s]

fn stage(particle: Particle) -> f32 {
    let speed = length(velocity(particle.position));
    return clamp((speed - params.slow) / max(params.fast - params.slow, 1e-20), 0.0, 1.0);
}
