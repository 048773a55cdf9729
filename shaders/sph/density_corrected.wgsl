//! SPH Corrected Density
//! Density as in SPH Density, and a rate of it that is right for linear flow, shear for example, wherever the kernel is full, however the particles lie:  -rho_0 tr(L grad v),
//! grad v = sum_j V (v_j - v_i) (x_j - x_i) |W'|/r,  L = (sum_j V (x_j - x_i) (x_j - x_i) |W'|/r + (1 - s) n n)^-1.  The last term fills in what is missing beyond a free surface,
//! along its normal n, so that L is bounded: s = n M n of the sum M, at most 1. A square lattice in shear, whose density is that at rest, otherwise resists like a solid. SPH Corrected Acceleration is the adjoint of this rate,
//! so sound neither gains nor loses energy. Images beyond closed sides count, as in SPH Density; SPH Wall Density adds what a shape takes.
//! Source: Bonet and Lok, Comput. Methods Appl. Mech. Eng. 180, 1999 (corrected gradients); Marrone et al., J. Comput. Phys. 229, 2010 (surfaces by the matrix); the adjoint pair: Vila, Math. Models Methods Appl. Sci. 9, 1999.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @in    rest_density: f32 = 1000   Density at rest rho_0 [kg/m^3]
//! @inout particles: Particles{position: Vec, velocity: Vec} -> {density: f32, density_rate: f32, diagonal: vec3f, others: vec3f, filled: f32}    The fluid; gains its density [kg/m^3], the rate [kg/m^3/s], the matrix L, and s
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
    var sum = 0.0;
    var uneven = Vec();
    var spread = array<Vec, 3>(Vec(), Vec(), Vec());
    var strain = array<Vec, 3>(Vec(), Vec(), Vec());
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let other = particles(near.index);
        let apart = displacement(particle.position, other.position);
        // The neighbour and its images: every set of the sides within reach.
        for (var image = sides; image >= 0; image = select((image - 1) & sides, -1, image == 0)) {
            let axes = bits(image);
            let reach = apart + 2.0 * axes * (planes - other.position);
            let square = dot(reach, reach);
            if square >= h * h { continue; }
            let q = sqrt(square) * inverse_h;
            let inside = 1.0 - q;
            let cubed = inside * inside * inside;
            let faster = (1.0 - 2.0 * axes) * other.velocity - particle.velocity;
            sum += cubed * inside * (1.0 + 4.0 * q);
            uneven += cubed * reach;
            for (var axis = 0; axis < DIM; axis++) {
                spread[axis] += cubed * reach[axis] * reach;
                strain[axis] += cubed * faster[axis] * reach;
            }
        }
    }
    let volume = kernel().y / rest_density();
    let off = length(uneven);
    let normal = select(Vec(), uneven / max(off, 1e-20), volume * off * h > 1e-6);
    var filled = 0.0;
    for (var axis = 0; axis < DIM; axis++) { filled += normal[axis] * volume * dot(spread[axis], normal); }
    filled = select(1.0, min(filled, 1.0), dot(normal, normal) > 0.5);
    // Rows of a matrix of three axes, of which a flat fluid has 1 in the third.
    var rows = mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    for (var i = 0; i < DIM; i++) {
        for (var j = 0; j < DIM; j++) { rows[i][j] = volume * spread[i][j] + (1.0 - filled) * normal[i] * normal[j]; }
    }
    let first = cross(rows[1], rows[2]);
    let second = cross(rows[2], rows[0]);
    let third = cross(rows[0], rows[1]);
    let size = dot(rows[0], first);
    let regular = size > 0.05;
    let scale = 1.0 / max(size, 0.05);
    let diagonal = select(vec3f(1.0), scale * vec3f(first.x, second.y, third.z), regular);
    let others = select(vec3f(), scale * vec3f(second.z, first.z, first.y), regular);
    var divergence = 0.0;
    for (var axis = 0; axis < DIM; axis++) { divergence += volume * corrected(diagonal, others, strain[axis])[axis]; }
    return Result(kernel().x * sum, -rest_density() * divergence, diagonal, others, filled);
}
