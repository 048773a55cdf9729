//! DFSPH Corrected Answer
//! How the density answers to pressures with corrected gradients  g_j = m L grad W:  their sum, the sum of their squares to that of a single particle, and (sum_j |g_j|/DIM)^2, for DFSPH Factor. Images beyond closed sides are followed like particles, so nothing is left for `mirror`.
//! Keeps the pressure from which the substep starts.
//! Source: Bender and Koschier, SCA 2015, equation 9; Bonet and Lok, Comput. Methods Appl. Mech. Eng. 180, 1999.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec, pressure: f32, diagonal: vec3f, others: vec3f} -> {expected: f32, gradient: Vec, mirror: Vec, single: f32, layers: f32}    The fluid, from SPH Corrected Density; gains its pressure at the start [Pa], sum_j g_j [kg/m^4], and these measures [kg^2/m^8]
//! @use shared/axes
//! @use shared/sph_correction

fn stage(particle: Particle) -> Result {
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
    var gradient = Vec();
    var squares = 0.0;
    var lengths = 0.0;
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
            let slope = cubed * corrected(particle.diagonal, particle.others, reach);
            gradient += slope;
            squares += dot(slope, slope);
            lengths += length(slope);
        }
    }
    let factor = kernel().y;
    let layers = factor / f32(DIM) * lengths;
    return Result(particle.pressure, factor * gradient, Vec(), factor * factor * squares, layers * layers);
}
