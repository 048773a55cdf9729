//! SPH Fastest
//! Speed of the fastest particle, and of a moving shape where particles are near it, which will soon be as fast. For SPH Time Step.
//! Source: Monaghan, J. Comput. Phys. 110, 1994; Ihmsen et al., SPH Fluids in Computer Graphics, Eurographics 2014, section 3.6.
//!
//! @in    particles: Particles{position: Vec, velocity: Vec}    The fluid
//! @in    radius: f32                         Smoothing radius h [m]
//! @in    shape: Field<f32> = 1e9             Signed distance of the shape [m]
//! @in    shape_velocity: Field<Vec> = 0, velocity of shape  Its velocity [m/s]
//! @out   speed: f32, reduce max              Speed of the fastest [m/s]

fn stage(particle: Particle) -> f32 {
    var speed = length(particle.velocity);
    if shape_velocity_wired && shape(particle.position) < radius() {
        speed = max(speed, length(shape_velocity(particle.position)));
    }
    return speed;
}
