//! Leave Behind
//! Emits a drop where each particle of another set is, with a part of its velocity.
//! Source: after-images of the article on SPH with Niagara simulation stages (idea for later; Unreal Open Day 2020).
//!
//! @in    source: Particles{position: Vec, velocity: Vec, radius: f32}    Particles that leave drops behind, from Shed Drops
//! @in    amount: u32                         How many they are, from Amount
//! @inout particles: Particles{} -> {position: Vec, velocity: Vec, radius: f32, id: u32, age: f32}, emit amount    The drops
//! @param size: f32 = 0.4, 0..1               Radius of a drop, relative to that of its particle
//! @param speed: f32 = 0.5, 0..1              Velocity of a drop, relative to that of its particle

fn stage(particle: Particle) -> Result {
    let origin = source(particle.index - particles_count());
    let size = params.size * mix(0.5, 1.0, random_at(particle.serial, 5u));
    return Result(origin.position, params.speed * origin.velocity, size * origin.radius, particle.serial, 0.0);
}
