//! Emit a Lattice
//! Emits particles on a cubic lattice that fills a box, x fastest: a tank of fluid at rest. Connect Lattice Amount with the same box
//! and spacing, and every site gets one particle; the group `particles/fill_box` contains both.
//!
//! @in    amount: u32                                                        Particles to emit, from Lattice Amount
//! @inout particles: Particles{} -> {position: Vec, velocity: Vec, id: u32}, emit amount    The particle set
//! @param center: Vec = (0.5, 0.5, 0.5), soft 0..1, handle position          Centre of the box [m]
//! @param size: Vec = (0.4, 0.4, 0.4), 0.., soft 0..1, handle box of center  Edges of the box [m]
//! @param spacing: f32 = 0.02, 0.00001.., soft 0.005..0.1                    Distance of neighbouring sites [m]
//! @param jitter: f32 = 0, 0..1                                              Random shift of each particle: 1 fills the whole site's cube
//! @param velocity: Vec = (0, 0, 0), soft -4..4, handle vector of center     Velocity of all particles [m/s]

fn stage(particle: Particle) -> Result {
    let sites = max(floor(params.size / params.spacing + 0.01), Vec(1.0));
    // Consecutive serial numbers visit each site once, whatever was emitted before.
    var rest = particle.serial;
    var place = params.center;
    for (var axis = 0; axis < DIM; axis++) {
        let along = u32(sites[axis]);
        let shift = params.jitter * (random_at(particle.serial, u32(axis)) - 0.5);
        place[axis] += params.spacing * (f32(rest % along) + 0.5 - 0.5 * sites[axis] + shift);
        rest /= along;
    }
    return Result(place, params.velocity, particle.serial);
}
