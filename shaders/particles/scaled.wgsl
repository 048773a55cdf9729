//! Scaled
//! Multiplies the radius of each particle by its scale.
//! Source: the particles' scale of the article on SPH with Niagara simulation stages.
//!
//! @inout particles: Particles{radius: f32, scale: f32} -> {radius: f32}    The particle set

fn stage(particle: Particle) -> f32 { return particle.radius * particle.scale; }
