//! SPH Normal
//! Gradient of the fluid's volume fraction, times h: long at the surface, where it points into the fluid, and zero inside.
//! n_i = h sum_j m/rho_j grad poly6.
//! Source: Akinci, Akinci and Teschner, Versatile Surface Tension and Adhesion for SPH Fluids, SIGGRAPH Asia 2013, sec. 3.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    radius: f32                Smoothing radius h [m]
//! @in    poly6_ratio: f32           Mass times the poly6 kernel's factor, for the ratio r/h [kg/m^3]
//! @inout particles: Particles{position: Vec, density: f32} -> {normal: Vec}    The fluid; gains its normal, dimensionless
//! @param strength: f32 = 1, 0..     Strength of SPH Surface Tension; at 0 the normal is not computed

fn stage(particle: Particle) -> Vec {
    if params.strength == 0.0 { return Vec(); }
    let inverse_square = 1.0 / (radius() * radius());
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let inside = max(1.0 - dot(apart, apart) * inverse_square, 0.0);
        if inside > 0.0 { sum += inside * inside / particles(near.index).density * apart; }
    }
    // d/dr (1 - r^2/h^2)^3 = -6 r/h^2 (1 - r^2/h^2)^2
    return sum * (6.0 * poly6_ratio() / radius());
}
