//! SPH Density
//! Density as the sum over the neighbours, including the particle itself:  rho_i = sum_j m W(|x_i - x_j|),  and its rate of change,
//! sum_j m (v_i - v_j) . grad W.  A closed side of the domain is a mirror: the images of the particles beyond it
//! count and move with them, so a row along a side is compressed like any other. The domain must be wider than 2 h. SPH Wall Density adds what a shape takes of the kernel.
//! Source: Monaghan, Smoothed Particle Hydrodynamics, Rep. Prog. Phys. 68, 2005, equations 2.8 and 2.17; Colagrossi and Landrini, J. Comput. Phys. 191, 2003 (images).
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec, velocity: Vec} -> {density: f32, density_rate: f32}    The fluid; gains its density [kg/m^3] and the density's rate [kg/m^3/s]
//! @use shared/axes

fn stage(particle: Particle) -> Result {
    let h = kernel().z;
    let inverse_h = 1.0 / h;
    // The nearest closed side along each axis; far beyond reach where there is none.
    var planes = Vec();
    var far = Vec();
    var beside = false;
    for (var axis = 0; axis < DIM; axis++) {
        let side = i32(2.0 * particle.position[axis] > SIZE[axis]);
        planes[axis] = f32(side) * SIZE[axis];
        let within = abs(particle.position[axis] - planes[axis]) < h && wall_face(side * RESOLUTION, axis);
        far[axis] = select(1e30, 0.0, within);
        beside |= within;
    }
    let depth = 4.0 * abs(particle.position - planes);
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
        if !beside { continue; }
        let place = particles(near.index).position;
        let farther = depth * abs(place - planes) + far; // squares of the distances to images, less that to the particle
        var nearest = farther.x;
        for (var axis = 1; axis < DIM; axis++) { nearest = min(nearest, farther[axis]); }
        if square + nearest >= h * h { continue; }
        // One image for each set of sides: three of them in 2D.
        for (var image = 1; image < 8; image++) {
            let axes = bits(image);
            let beyond = square + dot(axes, farther);
            if image < 4 * (DIM - 1) && beyond < h * h {
                let reach = apart + 2.0 * axes * (planes - place);
                let q = sqrt(beyond) * inverse_h;
                let inside = 1.0 - q;
                let cubed = inside * inside * inside;
                sum += cubed * inside * (1.0 + 4.0 * q);
                rate += cubed * dot(particle.velocity - (1.0 - 2.0 * axes) * particles(near.index).velocity, reach);
            }
        }
    }
    return Result(kernel().x * sum, kernel().y * rate);
}
