//! Emit from Points
//! Emits particles at the points of another set, such as those of a mesh or of a file. Each takes one of them by chance.
//! Keywords: mesh, surface, scatter, source
//!
//! @in    points: Particles{position: Vec}            The points, such as a State that starts with a file
//! @in    amount: u32 = 1                             Particles to emit in each frame; for a number per second, from Emission Rate
//! @inout particles: Particles{} -> {position: Vec, velocity: Vec, id: u32}, emit amount    The particle set
//! @param velocity: Vec = (0, 0, 0), soft -4..4       Velocity of all particles [m/s]
//! @param spread: f32 = 0, 0.., soft 0..2             Maximum random velocity added, in any direction [m/s]
//! @param radius: f32 = 0, 0.., soft 0..0.1           Radius of the ball around a point that particles are spread over [m]
//! @use shared/random_points

fn stage(particle: Particle) -> Result {
    let count = max(points_count(), 1u);
    let chosen = min(u32(random_at(particle.serial, 16u) * f32(count)), count - 1u);
    let place = points(chosen).position + params.radius * random_in_ball(particle.serial, 24u);
    return Result(place, params.velocity + params.spread * random_in_ball(particle.serial, 8u), particle.serial);
}
