//! Shed Drops
//! Selects the spray that leaves a drop behind in this frame: fast particles with few neighbours, each with the probability  1 - exp(-rate dt),
//! so that the number does not depend on the frame rate.
//! Source: after-images of the article on SPH with Niagara simulation stages (idea for later; Unreal Open Day 2020).
//!
//! @inout particles: Particles{velocity: Vec, tone: f32, id: u32}, filter    The water, with its spray from Drop Size
//! @param rate: f32 = 20, 0.., soft 0..60      Drops that a particle leaves behind in a second [1/s]
//! @param speed: f32 = 1, 0.., soft 0..4       Speed from which it does [m/s]
//! @param spray: f32 = 0.5, 0..1               Tone from which it does: 1 is a single drop

fn stage(particle: Particle) -> bool {
    let sheds = particle.tone > params.spray && length(particle.velocity) > params.speed;
    return sheds && random_at(particle.id, frame.index) < 1.0 - exp(-params.rate * frame.dt);
}
