//! Scale
//! Gives each particle a size of its own, by its id, which never changes:  scale = 1 + variation (2 r - 1)  with r uniform in 0..1.
//! Source: the particles' scale of the article on SPH with Niagara simulation stages.
//!
//! @inout particles: Particles{id: u32} -> {scale: f32}     The particle set; gains its scale, 1 on average
//! @param variation: f32 = 0.3, 0..1                        Largest difference from 1

fn stage(particle: Particle) -> f32 {
    return 1.0 + params.variation * (2.0 * random_at(particle.id, 0x5ca1eu) - 1.0);
}
