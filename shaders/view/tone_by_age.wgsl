//! Tone by Age
//! Gives particles a tone between 0 and 1 that increases with their age. Points shows tones as colours.
//! Source: none.
//!
//! @inout particles: Particles{age: f32} -> {tone: f32}      The set
//! @param young: f32 = 0, 0.., soft 0..10                    Age of tone 0 [s]
//! @param old: f32 = 2, 0.., soft 0..20                      Age of tone 1 [s]

fn stage(particle: Particle) -> f32 {
    return clamp((particle.age - params.young) / max(params.old - params.young, 1e-20), 0.0, 1.0);
}
