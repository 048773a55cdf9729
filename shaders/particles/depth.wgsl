//! Depth
//! How deep a set of particles reaches into a shape: the largest depth below its surface, 0 if all are outside.
//! Source: definition.
//!
//! @in  shape: Field<f32>                         Signed distance [m], negative inside
//! @in  particles: Particles{position: Vec}       The particle set
//! @out depth: f32, reduce max                    Largest depth below the surface [m]

fn stage(particle: Particle) -> f32 {
    return max(-shape(particle.position), 0.0);
}
