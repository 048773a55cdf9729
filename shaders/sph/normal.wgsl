//! SPH Normal
//! Gradient of the fluid's volume fraction, times h: long at the surface, where it points into the fluid, and zero inside.
//! n_i = h sum_j m/rho_j grad W.
//! Source: Akinci, Akinci and Teschner, Versatile Surface Tension and Adhesion for SPH Fluids, SIGGRAPH Asia 2013, sec. 3.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec, density: f32} -> {normal: Vec}    The fluid; gains its normal, dimensionless
//! @param strength: f32 = 1, 0..     Strength of SPH Surface Tension; at 0 the normal is not computed

fn stage(particle: Particle) -> Vec {
    if params.strength == 0.0 { return Vec(); }
    let inverse_square = 1.0 / (kernel().z * kernel().z);
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let inside = 1.0 - sqrt(dot(apart, apart) * inverse_square);
        if inside > 0.0 { sum += inside * inside * inside / particles(near.index).density * apart; }
    }
    return sum * (kernel().y * kernel().z);
}
