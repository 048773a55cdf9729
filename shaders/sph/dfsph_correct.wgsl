//! DFSPH Correct
//! The other half of an iteration: changes the velocity by a change of the pressure,  v_i -= dt (sum_j m (kappa_i + kappa_j) grad W + kappa_i shape),  where j are particles and their images beyond closed sides.  Two particles change by the same in
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
    // The nearest closed side along each axis, and a bit for each that is within reach.
    var planes = Vec();
    var sides = 0;
    for (var axis = 0; axis < DIM; axis++) {
        let side = i32(2.0 * particle.position[axis] > SIZE[axis]);
        planes[axis] = f32(side) * SIZE[axis];
        if abs(particle.position[axis] - planes[axis]) < h && wall_face(side * RESOLUTION, axis) { sides |= 1 << u32(axis); }
    }
    let depth = 4.0 * abs(particle.position - planes);
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h { continue; }
        let inside = 1.0 - sqrt(square) * inverse_h;
        let changed = particle.kappa + particles(near.index).kappa;
        sum += inside * inside * inside * changed * apart;
        if sides == 0 { continue; }
        let place = particles(near.index).position;
        let farther = depth * abs(place - planes); // squares of the distances to images, less that to the particle
        var nearest = h * h;
        for (var axis = 0; axis < DIM; axis++) { if ((sides >> u32(axis)) & 1) != 0 { nearest = min(nearest, farther[axis]); } }
        if square + nearest >= h * h { continue; }
        for (var image = sides; image != 0; image = (image - 1) & sides) {
            let axes = bits(image);
            let beyond = square + dot(axes, farther);
            if beyond >= h * h { continue; }
            let reach = apart + 2.0 * axes * (planes - place);
            let inside = 1.0 - sqrt(beyond) * inverse_h;
            sum += inside * inside * inside * changed * reach;
        }
    }
    return particle.velocity - select(frame.dt, dt(), dt() > 0.0) * (kernel().y * sum + particle.kappa * particle.wall_gradient);
}

// 1 along the axes of a set of bits.
fn bits(mask: i32) -> Vec {
    var axes = Vec();
    for (var axis = 0; axis < DIM; axis++) { axes += f32((mask >> u32(axis)) & 1) * Vec(unit(axis)); }
    return axes;
}
