//! SPH Strongest
//! Acceleration of the particle that is accelerated most. For SPH Time Step.
//! Source: Monaghan, J. Comput. Phys. 110, 1994.
//!
//! @in    particles: Particles{acceleration: Vec}    The fluid
//! @out   acceleration: f32, reduce max              Largest acceleration [m/s^2]

fn stage(particle: Particle) -> f32 { return length(particle.acceleration); }
