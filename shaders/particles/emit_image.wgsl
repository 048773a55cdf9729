//! Emit from an Image
//! Emits particles where an image is bright, with a density proportional to its brightness, 0 to 1. By rejection with up to 1024 tries;
//! if all fail, at the brightest position tried. If 1 % of the image is bright, this concerns one particle in 30,000.
//! Source: von Neumann, Various Techniques Used in Connection with Random Digits, 1951 (rejection sampling).
//!
//! @in    amount: u32 = 1000                       Particles to emit in each frame; for a number per second, from Emission Rate
//! @in    image: Grid<f32>                         Brightness, 0 to 1; may be finer than the particles' domain
//! @inout particles: Particles{} -> {position: Vec, velocity: Vec, id: u32}, emit amount    The particle set
//! @param velocity: Vec = (0, 0, 0), soft -4..4    Velocity of all particles [m/s]
//! @param spread: f32 = 0, 0.., soft 0..2          Maximum random velocity added, in any direction [m/s]
//! @use shared/random_points

fn stage(particle: Particle) -> Result {
    var place = Vec();
    var brightest = -1.0;
    for (var attempt = 0; attempt < 1024; attempt++) {
        let salt = 16u + 4u * u32(attempt);
        let tried = SIZE * random_place(particle.serial, salt);
        let brightness = image_at(tried);
        if brightness > brightest {
            place = tried;
            brightest = brightness;
        }
        if random_at(particle.serial, salt + 3u) < brightness {
            place = tried;
            break;
        }
    }
    return Result(place, params.velocity + params.spread * random_in_ball(particle.serial, 8u), particle.serial);
}
