//! SPH Density (poly6)
//! Density as the sum over the neighbours, including the particle itself:  rho_i = sum_j m poly6(|x_i - x_j|).  The form of the article, with
//! (h^2 - r^2)^3, whose factor scales with h^-9; SPH Density (ratio) gives the same and is easier to scale. SPH Density has one kernel
//! for density and force.
//! Source: Mueller, Charypar and Gross, SCA 2003, equations 3 and 20.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    radius: f32                Smoothing radius h [m]
//! @in    poly6: f32                 Mass times the kernel's factor [kg/m^9]
//! @inout particles: Particles{position: Vec} -> {density: f32}    The fluid; gains its density [kg/m^3]

fn stage(particle: Particle) -> f32 {
    let reach = radius() * radius();
    var sum = 0.0;
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let inside = max(reach - dot(apart, apart), 0.0);
        sum += inside * inside * inside;
    }
    return poly6() * sum;
}
