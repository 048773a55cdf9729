//! Kill Old
//! Removes particles that have reached their lifetime. Each has its own lifetime, chosen at random from its id.
//!
//! @inout particles: Particles{age: f32, id: u32}, filter    The particle set
//! @param life: f32 = 2, 0.., soft 0..20                     Mean lifetime [s]
//! @param spread: f32 = 0, 0..1                              Random variation: lifetimes lie between life (1 - spread) and life (1 + spread)

fn stage(particle: Particle) -> bool {
    let luck = 2.0 * random_at(particle.id, 0x11feu) - 1.0;
    return particle.age < params.life * (1.0 + params.spread * luck);
}
