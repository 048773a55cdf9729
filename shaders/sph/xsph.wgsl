//! XSPH
//! Blends each velocity with those of the neighbours:  v_i += strength sum_j m/rho_ij (v_j - v_i) W,  rho_ij = (rho_i + rho_j)/2.  Particles move in order, and
//! momentum is conserved. Once a substep it is a viscosity of about  strength h^2/(30 dt) rho_0.
//! Source: Monaghan, J. Comput. Phys. 82, 1989; to the velocity itself: Schechter and Bridson, SIGGRAPH 2012, sec. 4.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec, velocity: Vec, density: f32} -> {velocity: Vec}    The fluid
//! @param strength: f32 = 0.05, 0..1    Part of the difference to the neighbours' mean

fn stage(particle: Particle) -> Vec {
    let h = kernel().z;
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h || near.index == particle.index { continue; }
        let other = particles(near.index);
        let q = sqrt(square) / h;
        let inside = (1.0 - q) * (1.0 - q);
        sum += inside * inside * (1.0 + 4.0 * q) / (particle.density + other.density) * (other.velocity - particle.velocity);
    }
    return particle.velocity + 2.0 * params.strength * kernel().x * sum;
}
