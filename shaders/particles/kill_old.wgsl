//! Kill Old
//! Removes particles that have reached their age. Each has a life of its own, drawn from its number and kept for good.
//!
//! @inout particles: Particles{age: f32, id: u32}, filter    The set, without the old
//! @param life: f32 = 2, 0.., soft 0..20                     Mean life [s]
//! @param spread: f32 = 0, 0..1                              Random part of the life: it lies within life (1 - spread) and life (1 + spread)

fn stage(particle: Particle) -> bool {
    let luck = 2.0 * random_at(particle.id, 0x11feu) - 1.0;
    return particle.age < params.life * (1.0 + params.spread * luck);
}
