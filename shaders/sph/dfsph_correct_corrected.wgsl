//! DFSPH Correct (corrected)
//! The other half of an iteration: changes the velocity by a change of the pressure, with corrected gradients,  v_i -= dt (sum_j m (kappa_i L_i + kappa_j L_j) grad W + kappa_i walls),  where j are particles and their images. Two particles change by the same in
//! opposite directions, so momentum is conserved.
//! Source: Bender and Koschier, SCA 2015, equation 7; Vila, Math. Models Methods Appl. Sci. 9, 1999.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @in    dt: f32 = 0                Time step; 0 is the frame's [s]
//! @inout particles: Particles{position: Vec, velocity: Vec, kappa: f32, diagonal: vec3f, others: vec3f, walls: vec4f} -> {velocity: Vec}    The fluid
//! @use shared/axes
//! @use shared/sph_correction

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
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let place = particles(near.index).position;
        let apart = displacement(particle.position, place);
        // The neighbour and its images: every set of the sides within reach.
        for (var image = sides; image >= 0; image = select((image - 1) & sides, -1, image == 0)) {
            let axes = bits(image);
            let reach = apart + 2.0 * axes * (planes - place);
            let square = dot(reach, reach);
            if square >= h * h { continue; }
            let inside = 1.0 - sqrt(square) * inverse_h;
            let cubed = inside * inside * inside;
            let other = particles(near.index);
            let turn = 1.0 - 2.0 * axes;
            sum += cubed * (particle.kappa * corrected(particle.diagonal, particle.others, reach) + other.kappa * turn * corrected(other.diagonal, other.others, turn * reach));
        }
    }
    sum *= kernel().y;
    for (var axis = 0; axis < DIM; axis++) { sum[axis] += particle.kappa * particle.walls[axis]; }
    return particle.velocity - select(frame.dt, dt(), dt() > 0.0) * sum;
}
