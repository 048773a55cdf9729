//! Accelerate
//! Applies the acceleration that earlier stages have summed:  v += dt a.  Integrate then moves the particles.
//!
//! @in    dt: f32 = 0    Time step; 0 is the frame's [s]
//! @inout particles: Particles{velocity: Vec, acceleration: Vec} -> {velocity: Vec}    The particle set

fn stage(particle: Particle) -> Vec {
    return particle.velocity + select(frame.dt, dt(), dt() > 0.0) * particle.acceleration;
}
