//! SPH Density (ratio)
//! Density as the sum over the neighbours, including the particle itself:  rho_i = sum_j m c (1 - r^2/h^2)^3.  The poly6 kernel with the
//! ratio r/h instead of h^2 - r^2, so that numbers stay within a moderate range at every scale.
//! Source: the article's density step, here with its factor scaled along, so that it is the density in kg/m^3;
//! Mueller, Charypar and Gross, SCA 2003, equations 3 and 20.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    radius: f32                Smoothing radius h [m]
//! @in    poly6_ratio: f32           Mass times the kernel's factor c [kg/m^3]
//! @inout particles: Particles{position: Vec} -> {density: f32}    The fluid; gains its density [kg/m^3]

fn stage(particle: Particle) -> f32 {
    let inverse_square = 1.0 / (radius() * radius());
    var sum = 0.0;
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let inside = max(1.0 - dot(apart, apart) * inverse_square, 0.0);
        sum += inside * inside * inside;
    }
    return poly6_ratio() * sum;
}
