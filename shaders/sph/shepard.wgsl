//! SPH Shepard Density
//! Normalises the density where the kernel reaches beyond the fluid:  rho_i = sum_j m W / sum_j m/rho_j W.  Inside it smooths the density, and
//! near a surface it removes most of the deficit. Put it between density and pressure; walls must be in the density already.
//! Source: Shepard 1968; Bonet and Lok, Comput. Methods Appl. Mech. Eng. 180, 1999.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec, density: f32} -> {density: f32}    The fluid; its density is normalised [kg/m^3]

fn stage(particle: Particle) -> f32 {
    let h = kernel().z;
    var mass = 0.0;
    var volume = 0.0;
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h { continue; }
        let q = sqrt(square) / h;
        let inside = (1.0 - q) * (1.0 - q);
        let weight = inside * inside * (1.0 + 4.0 * q);
        mass += weight;
        volume += weight / particles(near.index).density;
    }
    return mass / volume;
}
