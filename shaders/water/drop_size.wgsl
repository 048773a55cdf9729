//! Drop Size
//! Radius with which each particle is drawn. In the body of the water it is the full radius; where neighbours are few, which the
//! density shows, it shrinks, so that a splash breaks up into drops instead of large balls:
//! radius mix(drop, 1, s),  s = smoothstep(few, many, density / rest_density).  The tone, 1 - s, is the amount of spray.
//! Source: the last section of the article on SPH with Niagara simulation stages (radius from the density).
//!
//! @in    rest_density: f32 = 1000                          Density at rest [kg/m^3]
//! @inout particles: Particles{density: f32} -> {radius: f32, tone: f32}    The water; gains radius [m] and tone
//! @param full: f32 = 0.02, 0.., soft 0.001..0.1            Radius in the body of the water, 0.8 to 1 of the particles' distance [m]
//! @param drop: f32 = 0.4, 0..1                             Radius of a single drop, relative to the full one
//! @param few: f32 = 0.42, 0.., soft 0..1                   Density of a single drop, relative to that at rest (where h is twice the distance 0.4 by Wendland C2, 0.2 by poly6)
//! @param many: f32 = 0.65, 0.., soft 0..1                   Density from which a particle belongs to the body of the water (at a flat surface 0.87 by Wendland C2, 0.6 by poly6)

fn stage(particle: Particle) -> Result {
    let relative = particle.density / max(rest_density(), 1e-20);
    let along = clamp((relative - params.few) / max(params.many - params.few, 1e-6), 0.0, 1.0);
    let body = along * along * (3.0 - 2.0 * along);
    return Result(params.full * mix(params.drop, 1.0, body), 1.0 - body);
}
