//! SPH Surface Tension
//! Cohesion between neighbours, which attracts those far apart and repels those too close, and a force that smooths the surface:
//! a_i += strength sum_j 2 rho_0/(rho_i + rho_j) (m C(r) (x_j - x_i)/r + n_j - n_i).  Conserves momentum.
//! C = 32/(pi h^3) q^3 (1 - q)^3  and, for q = r/h up to 1/2,  twice that minus 1/64;  in 2D the same with h^2.
//! Source: Akinci, Akinci and Teschner, Versatile Surface Tension and Adhesion for SPH Fluids, SIGGRAPH Asia 2013.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    radius: f32                Smoothing radius h [m]
//! @in    mass: f32                  Mass of a particle [kg]
//! @in    rest_density: f32 = 1000    Density at rest rho_0 [kg/m^3]
//! @inout particles: Particles{position: Vec, density: f32, normal: Vec, acceleration: Vec} -> {acceleration: Vec}    The fluid; its acceleration is increased [m/s^2]
//! @param strength: f32 = 1, 0.., soft 0..5    Strength gamma, about 1 for water in 3D

fn stage(particle: Particle) -> Vec {
    if params.strength == 0.0 { return particle.acceleration; }
    let h = radius();
    let cohesion = mass() * 32.0 / (3.14159265 * pow(h, f32(DIM)));
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        if dot(apart, apart) >= h * h || near.index == particle.index { continue; }
        let distance = length(apart);
        let toward = apart / max(distance, 1e-6 * h);
        let pull = cohesion * cohesion_kernel(distance / h) * toward;
        let density = particle.density + particles(near.index).density;
        sum += (pull + particles(near.index).normal - particle.normal) / density;
    }
    return particle.acceleration + sum * (2.0 * params.strength * rest_density());
}

fn cohesion_kernel(q: f32) -> f32 {
    let hump = q * (1.0 - q);
    let cubed = hump * hump * hump;
    return select(cubed, 2.0 * cubed - 0.015625, q <= 0.5);
}
