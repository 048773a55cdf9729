//! Integrate
//! Moves particles by their velocity:  x += dt v.  With the velocity updated before, this is semi-implicit (symplectic) Euler.
//! Velocities above the limit are clamped first.
//! Source: Hairer, Lubich and Wanner, Geometric Numerical Integration, ch. I.1.2.
//!
//! @in    dt: f32 = 0                                  Time step; 0 is the frame's [s]
//! @inout particles: Particles{position: Vec, velocity: Vec} -> {position: Vec, velocity: Vec}    The particle set
//! @param speed_limit: f32 = 0, 0.., soft 0..20        Maximum speed; 0 is unlimited [m/s]

fn stage(particle: Particle) -> Result {
    var velocity = particle.velocity;
    let speed = length(velocity);
    if params.speed_limit > 0.0 && speed > params.speed_limit { velocity *= params.speed_limit / speed; }
    return Result(particle.position + select(frame.dt, dt(), dt() > 0.0) * velocity, velocity);
}
