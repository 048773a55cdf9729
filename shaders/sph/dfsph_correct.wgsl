//! DFSPH Correct
//! The other half of an iteration: changes the velocity by a change of the pressure,  v_i -= dt (sum_j m (kappa_i + kappa_j) grad W + kappa_i walls).  Two particles change by the same in
//! opposite directions, so momentum and angular momentum are conserved.
//! Source: Bender and Koschier, SCA 2015, equation 7.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @in    dt: f32 = 0                Time step; 0 is the frame's [s]
//! @inout particles: Particles{position: Vec, velocity: Vec, kappa: f32, wall_gradient: Vec} -> {velocity: Vec}    The fluid

fn stage(particle: Particle) -> Vec {
    let h = kernel().z;
    let inverse_h = 1.0 / h;
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h { continue; }
        let inside = 1.0 - sqrt(square) * inverse_h;
        sum += inside * inside * inside * (particle.kappa + particles(near.index).kappa) * apart;
    }
    return particle.velocity - select(frame.dt, dt(), dt() > 0.0) * (kernel().y * sum + particle.kappa * particle.wall_gradient);
}
