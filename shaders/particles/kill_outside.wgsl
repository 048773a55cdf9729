//! Kill Outside
//! Removes particles that have left the domain.
//!
//! @inout particles: Particles{position: Vec}, filter    The particle set
//! @param margin: f32 = 0, soft 0..1                     Distance outside the domain up to which particles are kept [m]

fn stage(particle: Particle) -> bool {
    let margin = Vec(params.margin);
    return all(particle.position >= -margin) && all(particle.position <= SIZE + margin);
}
