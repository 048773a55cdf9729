//! DFSPH Correct
//! The other half of an iteration: changes the velocity by a change of the pressure,  v_i -= dt (sum_j m (kappa_i + kappa_j) grad W + kappa_i walls),  where j are particles and their images behind the nearest closed side.  Two particles change by the same in
//! opposite directions, so momentum and angular momentum are conserved.
//! Source: Bender and Koschier, SCA 2015, equation 7.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @in    dt: f32 = 0                Time step; 0 is the frame's [s]
//! @inout particles: Particles{position: Vec, velocity: Vec, kappa: f32, walls: vec4f} -> {velocity: Vec}    The fluid

fn stage(particle: Particle) -> Vec {
    let h = kernel().z;
    let inverse_h = 1.0 / h;
    // The nearest closed side within reach: its axis, its plane, and four times the distance to it. Farther images are part of `walls`.
    var axes = Vec();
    var plane = 0.0;
    var depth = 4.0 * h;
    for (var axis = 0; axis < DIM; axis++) {
        let side = i32(2.0 * particle.position[axis] > SIZE[axis]);
        let distance = 4.0 * abs(particle.position[axis] - f32(side) * SIZE[axis]);
        if distance >= depth || !wall_face(side * RESOLUTION, axis) { continue; }
        axes = Vec(unit(axis));
        plane = f32(side) * SIZE[axis];
        depth = distance;
    }
    let walled = depth < 4.0 * h;
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h { continue; }
        let inside = 1.0 - sqrt(square) * inverse_h;
        let changed = particle.kappa + particles(near.index).kappa;
        sum += inside * inside * inside * changed * apart;
        if !walled { continue; }
        let across = plane - dot(axes, particles(near.index).position);
        let beyond = square + depth * abs(across);
        if beyond >= h * h { continue; }
        let image = 1.0 - sqrt(beyond) * inverse_h;
        sum += image * image * image * changed * (apart + 2.0 * across * axes);
    }
    sum *= kernel().y;
    for (var axis = 0; axis < DIM; axis++) { sum[axis] += particle.kappa * particle.walls[axis]; }
    return particle.velocity - select(frame.dt, dt(), dt() > 0.0) * sum;
}
