//! Integrate
//! Moves particles by their velocity:  x += dt v.  With the velocity changed before, that is semi-implicit (symplectic) Euler.
//! A velocity above the limit is shortened to it first.
//! Source: Hairer, Lubich and Wanner, Geometric Numerical Integration, ch. I.1.2.
//!
//! @in    dt: f32 = 0                                  Time step, 0 takes the frame's [s]
//! @inout particles: Particles{position: Vec, velocity: Vec} -> {position: Vec, velocity: Vec}    The set that moves
//! @param speed_limit: f32 = 0, 0.., soft 0..20        Fastest speed allowed, 0 for any [m/s]

fn stage(particle: Particle) -> Result {
    var velocity = particle.velocity;
    let speed = length(velocity);
    if params.speed_limit > 0.0 && speed > params.speed_limit { velocity *= params.speed_limit / speed; }
    return Result(particle.position + select(frame.dt, dt(), dt() > 0.0) * velocity, velocity);
}
