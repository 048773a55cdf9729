//! Emit from a Box
//! Emits particles uniformly distributed in a box.
//!
//! @in    amount: u32 = 1000                                                 Particles to emit in each frame; for a number per second, from Emission Rate
//! @inout particles: Particles{} -> {position: Vec, velocity: Vec, id: u32}, emit amount    The particle set
//! @param center: Vec = (0.5, 0.5, 0.5), soft 0..1, handle position          Centre of the box [m]
//! @param size: Vec = (0.2, 0.2, 0.2), 0.., soft 0..1, handle box of center  Edges of the box [m]
//! @param velocity: Vec = (0, 0, 0), soft -4..4, handle vector of center     Velocity of all particles [m/s]
//! @param spread: f32 = 0, 0.., soft 0..2                                    Maximum random velocity added, in any direction [m/s]
//! @use shared/random_points

fn stage(particle: Particle) -> Result {
    var place = params.center;
    for (var axis = 0; axis < DIM; axis++) {
        place[axis] += params.size[axis] * (random_at(particle.serial, u32(axis)) - 0.5);
    }
    return Result(place, params.velocity + params.spread * random_in_ball(particle.serial, 8u), particle.serial);
}
