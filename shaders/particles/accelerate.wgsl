//! Accelerate
//! Applies the acceleration that stages before have summed up:  v += dt a.  Integrate then moves the particles.
//!
//! @in    dt: f32 = 0    Time step, 0 takes the frame's [s]
//! @inout particles: Particles{velocity: Vec, acceleration: Vec} -> {velocity: Vec}    The set whose velocities change

fn stage(particle: Particle) -> Vec {
    return particle.velocity + select(frame.dt, dt(), dt() > 0.0) * particle.acceleration;
}
