//! SPH Density
//! Density as the sum over the neighbours, including the particle itself:  rho_i = sum_j m W(|x_i - x_j|),  and its rate of change,
//! sum_j m (v_i - v_j) . grad W.  SPH Wall Density adds what a wall takes of the kernel.
//! Source: Monaghan, Smoothed Particle Hydrodynamics, Rep. Prog. Phys. 68, 2005, equations 2.8 and 2.17.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec, velocity: Vec} -> {density: f32, density_rate: f32}    The fluid; gains its density [kg/m^3] and the density's rate [kg/m^3/s]

fn stage(particle: Particle) -> Result {
    let h = kernel().z;
    let inverse_h = 1.0 / h;
    var sum = 0.0;
    var rate = 0.0;
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h { continue; }
        let q = sqrt(square) * inverse_h;
        let inside = 1.0 - q;
        let cubed = inside * inside * inside;
        sum += cubed * inside * (1.0 + 4.0 * q);
        rate += cubed * dot(particle.velocity - particles(near.index).velocity, apart);
    }
    return Result(kernel().x * sum, kernel().y * rate);
}
