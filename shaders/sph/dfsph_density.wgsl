//! DFSPH Density
//! Density as the sum over the neighbours, as in SPH Density, the sum of its gradients g_j = m grad W, and two measures of how the density answers to pressures:
//! sum_j g_j^2 to that of a single particle, and (sum_j |g_j|/DIM)^2, which together with it bounds the answer to patterns of layers.
//! Source: Bender and Koschier, Divergence-Free Smoothed Particle Hydrodynamics, SCA 2015, equation 9.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec} -> {density: f32, gradient: Vec, single: f32, layers: f32}    The fluid; gains its density rho [kg/m^3], sum_j g_j [kg/m^4] and these measures [kg^2/m^8]

fn stage(particle: Particle) -> Result {
    let h = kernel().z;
    let inverse_h = 1.0 / h;
    var sum = 0.0;
    var gradient = Vec();
    var squares = 0.0;
    var lengths = 0.0;
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h { continue; }
        let q = sqrt(square) * inverse_h;
        let inside = 1.0 - q;
        let cubed = inside * inside * inside;
        sum += cubed * inside * (1.0 + 4.0 * q);
        gradient += cubed * apart;
        squares += cubed * cubed * square;
        lengths += cubed * q;
    }
    let layers = kernel().y * h / f32(DIM) * lengths;
    return Result(kernel().x * sum, kernel().y * gradient, kernel().y * kernel().y * squares, layers * layers);
}
