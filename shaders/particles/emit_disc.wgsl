//! Emit from a Disc
//! Emits particles uniformly distributed on a disc (in 2D on a line). They leave with `speed` along its normal, like from a nozzle.
//!
//! @in    amount: u32 = 1000                                            Particles to emit in each frame; for a number per second, from Emission Rate
//! @inout particles: Particles{} -> {position: Vec, velocity: Vec, id: u32}, emit amount    The particle set
//! @param center: Vec = (0.5, 0.5, 0.5), soft 0..1, handle position     Centre of the disc [m]
//! @param normal: Vec = (0, 1, 0), soft -1..1, handle plane of center   Direction that it faces, of any length
//! @param radius: f32 = 0.1, 0.., soft 0..0.5, handle radius of center  Its radius; in 2D half the length of the line [m]
//! @param speed: f32 = 1, soft -4..4                                    Speed along the normal [m/s]
//! @param spread: f32 = 0, 0.., soft 0..2                               Maximum random velocity added, in any direction [m/s]

fn stage(particle: Particle) -> Result {
    let normal = params.normal / max(length(params.normal), 1e-20);
    // Flattened onto the disc, a normal deviate still has no favourite direction.
    let deviate = random_normal(particle.serial, 0u);
    let flat = deviate - normal * dot(deviate, normal);
    let along = flat / max(length(flat), 1e-20);
    let outward = along - normal * dot(along, normal); // once more: a short `flat` is mostly rounding
    // Area grows with the radius to DIM - 1.
    let place = params.center + outward * (params.radius * pow(random_at(particle.serial, 7u), 1.0 / f32(DIM - 1)));
    let wild = random_normal(particle.serial, 8u);
    let extra = wild / max(length(wild), 1e-20) * pow(random_at(particle.serial, 15u), 1.0 / f32(DIM));
    return Result(place, params.speed * normal + params.spread * extra, particle.serial);
}

fn random_normal(serial: u32, salt: u32) -> Vec {
    var normal = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let one = salt + 2u * u32(axis);
        let far = sqrt(-2.0 * log(1.0 - random_at(serial, one)));
        normal[axis] = far * cos(6.2831853 * random_at(serial, one + 1u));
    }
    return normal;
}
