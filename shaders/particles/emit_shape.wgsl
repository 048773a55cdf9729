//! Emit from a Shape
//! Emits particles uniformly distributed inside a shape. By rejection in a box with up to 256 tries; if all
//! fail, the nearest is moved along the distance's gradient into the shape. If the shape fills 5 % of the box, this concerns one in 500,000.
//! Source: von Neumann, Various Techniques Used in Connection with Random Digits, 1951 (rejection sampling).
//!
//! @in    amount: u32 = 1000                                              Particles to emit in each frame; for a number per second, from Emission Rate
//! @in    shape: Field<f32>                                               Signed distance [m], negative inside
//! @inout particles: Particles{} -> {position: Vec, velocity: Vec, id: u32}, emit amount    The particle set
//! @param center: Vec = (0.5, 0.5, 0.5), soft 0..1, handle position       Centre of the box [m]
//! @param size: Vec = (1, 1, 1), 0.., soft 0..1, handle box of center     Edges of the box [m]
//! @param velocity: Vec = (0, 0, 0), soft -4..4, handle vector of center  Velocity of all particles [m/s]
//! @param spread: f32 = 0, 0.., soft 0..2                                 Maximum random velocity added, in any direction [m/s]
//! @use shared/random_points

const ROUNDS = 8;

fn stage(particle: Particle) -> Result {
    var place = params.center;
    var nearest = 3e38;
    for (var attempt = 0; attempt < 256; attempt++) {
        let tried = params.center + params.size * (random_place(particle.serial, 16u + 4u * u32(attempt)) - 0.5);
        let distance = shape(tried);
        if distance < nearest {
            place = tried;
            nearest = distance;
        }
        if nearest < 0.0 { break; }
    }
    for (var round = 0; round < ROUNDS; round++) {
        if nearest < 0.0 { break; }
        let slope = shape_gradient(place, max(0.01 * nearest, 1e-3 * CELL_SIZE));
        place -= slope / max(dot(slope, slope), 0.25) * (1.001 * nearest + 1e-4 * CELL_SIZE);
        nearest = shape(place);
    }
    return Result(place, params.velocity + params.spread * random_in_ball(particle.serial, 8u), particle.serial);
}
