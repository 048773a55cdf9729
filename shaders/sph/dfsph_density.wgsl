//! DFSPH Density
//! Density as the sum over the neighbours, as in SPH Density, the sum of its gradients g_j = m grad W, and two measures of how the density answers to pressures:
//! sum_j g_j^2 to that of a single particle, and (sum_j |g_j|/DIM)^2, which together with it bounds the answer to patterns of layers. The images beyond closed sides of the domain count like particles, as in SPH Density.
//! DFSPH Pressure and Correct follow the images behind the nearest side, and take all others, in edges and corners, to have the particle's own pressure and velocity, mirrored. What these do to it is
//! mirror . v  and  -p/rho^2 mirror,  mirror = 2 sum of (g . n) n  over them.
//! Source: Bender and Koschier, Divergence-Free Smoothed Particle Hydrodynamics, SCA 2015, equation 9; Colagrossi and Landrini, J. Comput. Phys. 191, 2003 (images); Akinci et al., ACM Trans. Graph. 31, 2012 (a boundary that mirrors the pressure of each particle).
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec} -> {density: f32, gradient: Vec, mirror: Vec, single: f32, layers: f32}    The fluid; gains its density rho [kg/m^3], sum_j g_j over particles and images that are followed, mirror [kg/m^4], and these measures [kg^2/m^8]
//! @use shared/axes

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
    let depth = 4.0 * abs(particle.position - planes);
    let followed = nearest_of(sides, depth);
    var sum = 0.0;
    var gradient = Vec();
    var mirror = Vec();
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
            let q = sqrt(beyond) * inverse_h;
            let inside = 1.0 - q;
            let cubed = inside * inside * inside;
            sum += cubed * inside * (1.0 + 4.0 * q);
            lengths += cubed * q;
            if image == followed {
                gradient += cubed * reach;
                squares += cubed * cubed * beyond;
            } else {
                mirror += cubed * axes * reach;
            }
        }
    }
    let layers = kernel().y * h / f32(DIM) * lengths;
    return Result(kernel().x * sum, kernel().y * gradient, 2.0 * kernel().y * mirror, kernel().y * kernel().y * squares, layers * layers);
}

// The bit of the axis whose side is nearest.
fn nearest_of(sides: i32, depth: Vec) -> i32 {
    var nearest = sides & -sides;
    var least = dot(bits(nearest), depth);
    for (var axis = 0; axis < DIM; axis++) {
        if ((sides >> u32(axis)) & 1) != 0 && depth[axis] < least { least = depth[axis]; nearest = 1 << u32(axis); }
    }
    return nearest;
}
