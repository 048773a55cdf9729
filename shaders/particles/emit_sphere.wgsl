//! Emit from a Sphere
//! Emits particles uniformly distributed in a sphere (in 2D in a disc). They leave with `speed`, away from the centre.
//!
//! @in    amount: u32 = 1000                                              Particles to emit in each frame; for a number per second, from Emission Rate
//! @inout particles: Particles{} -> {position: Vec, velocity: Vec, id: u32}, emit amount    The particle set
//! @param center: Vec = (0.5, 0.5, 0.5), soft 0..1, handle position       Centre of the sphere [m]
//! @param radius: f32 = 0.1, 0.., soft 0..0.5, handle radius of center    Its radius [m]
//! @param hollow: f32 = 0, 0..1                                           Fraction of the radius that stays empty; 1 emits on the surface only
//! @param velocity: Vec = (0, 0, 0), soft -4..4, handle vector of center  Velocity of all particles [m/s]
//! @param speed: f32 = 0, soft -4..4                                      Speed away from the centre [m/s]
//! @param spread: f32 = 0, 0.., soft 0..2                                 Maximum random velocity added, in any direction [m/s]

fn stage(particle: Particle) -> Result {
    let outward = random_direction(particle.serial, 0u);
    // Volume grows with the radius to DIM.
    let power = f32(DIM);
    let share = mix(pow(params.hollow, power), 1.0, random_at(particle.serial, 7u));
    let place = params.center + outward * (params.radius * pow(share, 1.0 / power));
    let wild = random_direction(particle.serial, 8u) * pow(random_at(particle.serial, 15u), 1.0 / power);
    return Result(place, params.velocity + params.speed * outward + params.spread * wild, particle.serial);
}

// A normal deviate has no favourite direction.
fn random_direction(serial: u32, salt: u32) -> Vec {
    var normal = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let one = salt + 2u * u32(axis);
        let far = sqrt(-2.0 * log(1.0 - random_at(serial, one)));
        normal[axis] = far * cos(6.2831853 * random_at(serial, one + 1u));
    }
    return normal / max(length(normal), 1e-20);
}
