//! Kill Inside
//! Removes particles that are inside a shape, for instance those that an emission placed in an obstacle.
//!
//! @in    shape: Field<f32>                              Signed distance [m], negative inside
//! @inout particles: Particles{position: Vec}, filter    The particle set
//! @param margin: f32 = 0, soft -0.1..0.1                Distance from the surface up to which particles are removed [m]

fn stage(particle: Particle) -> bool {
    return shape(particle.position) >= params.margin;
}
