//! SPH Corrected Density
//! Density as in SPH Density, and a rate of it that is right for linear flow, shear for example, wherever the kernel is full, however the particles lie:  -rho_0 tr(L grad v),
//! grad v = sum_j V (v_j - v_i) (x_j - x_i) |W'|/r,  L = (sum_j V (x_j - x_i) (x_j - x_i) |W'|/r + (1 - s) n n)^-1.  The last term fills in what is missing beyond a free surface,
//! along its normal n, so that L is bounded: s = n M n of the sum M, at most 1. A square lattice in shear, whose density is that at rest, otherwise resists like a solid. SPH Corrected Acceleration is the adjoint of this rate,
//! so sound neither gains nor loses energy. Pressures that alternate from particle to particle, which no force of theirs can remove, are levelled by a diffusion of what is not hydrostatic,
//! + 2 diffusion h/c sum_j V (p_j - p_i - rho_0 g (x_j - x_i)) |W'|/r.  Images beyond closed sides count, as in SPH Density. A shape at the distance z along n counts as fluid in the sum of L, by what it takes of the kernel,
//! share (1 - n n) + z |grad share| n n,  and half of |grad share| n in where the surface is: SPH Wall Density adds the flow into it, so L must not make up for it as well.
//! Source: Bonet and Lok, Comput. Methods Appl. Mech. Eng. 180, 1999 (corrected gradients); Marrone et al., J. Comput. Phys. 229, 2010 (surfaces by the matrix); the adjoint pair: Vila, Math. Models Methods Appl. Sci. 9, 1999;
//! diffusion: Molteni and Colagrossi, Comput. Phys. Commun. 180, 2009; Fourtakas, Dominguez, Vacondio and Rogers, Comput. Fluids 190, 2019 (without the hydrostatic part).
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @in    rest_density: f32 = 1000   Density at rest rho_0 [kg/m^3]
//! @in    wall: vec4f = 0            From SPH Kernel; at 0 shapes are not there
//! @in    shape: Field<f32> = 1e9    Signed distance [m], negative inside
//! @inout particles: Particles{position: Vec, velocity: Vec, pressure: f32} -> {density: f32, density_rate: f32, diagonal: vec3f, others: vec3f, filled: f32, inside: f32}    The fluid; gains its density [kg/m^3], the rate [kg/m^3/s], the matrix L, s of the particles alone, and s with the shape
//! @param diffusion: f32 = 0.03, 0.., soft 0..0.1                    Diffusion of pressure; at 0.1 waves are 2 % too fast
//! @param stiffness: f32 = 200, 0.., soft 0..2000                    Square of the speed of sound c, for the diffusion [m^2/s^2]
//! @param gravity: Vec = (0, -9.81, 0), soft -20..20, handle vector  Acceleration everywhere, for the diffusion [m/s^2]
//! @param probe: f32 = 0.1, 0.0001..1                                Step of the differences for the shape's normal, as a fraction of a cell
//! @use shared/axes
//! @use shared/sph_correction
//! @use shared/sph_wall

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
    var uneven_pressure = 0.0;
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
            // Below a floor the pressure of an image is that of the height above it.
            if image == 0 { uneven_pressure += cubed * (other.pressure - particle.pressure - rest_density() * dot(params.gravity, reach)); }
            uneven += cubed * reach;
            for (var axis = 0; axis < DIM; axis++) {
                spread[axis] += cubed * reach[axis] * reach;
                strain[axis] += cubed * faster[axis] * reach;
            }
        }
    }
    let volume = kernel().y / rest_density();
    let alone = filled(volume, uneven, spread);
    let distance = shape(particle.position);
    if distance < max(wall().y, wall().w) && wall().y > 0.0 {
        var free = 1.0; // of sides
        for (var axis = 0; axis < DIM; axis++) {
            let to_plane = abs(particle.position[axis] - planes[axis]);
            if (sides >> u32(axis) & 1) == 1 { free *= 1.0 - share(to_plane).x; }
        }
        let taken = free / volume * share(distance);
        let slope = shape_gradient(particle.position, params.probe * CELL_SIZE);
        let away = slope / max(length(slope), 1e-6);
        uneven -= 0.5 * taken.y * away;
        for (var axis = 0; axis < DIM; axis++) {
            spread[axis] += (max(distance, 0.0) * taken.y - taken.x) * away[axis] * away;
            spread[axis][axis] += taken.x;
        }
    }
    let normal = surface(volume, uneven);
    let missing = 1.0 - filled(volume, uneven, spread);
    // Rows of a matrix of three axes, of which a flat fluid has 1 in the third.
    var rows = mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    for (var i = 0; i < DIM; i++) {
        for (var j = 0; j < DIM; j++) { rows[i][j] = volume * spread[i][j] + missing * normal[i] * normal[j]; }
    }
    // Where L is large, the longest step of sound that SPH Limits allows would be unstable, so L is at most 1.5, and 1 for a particle alone. Waves meet no larger one.
    // `least` is the smallest eigenvalue; in 3D no more than it, as the others have the rest of the trace.
    let trace = rows[0][0] + rows[1][1] + rows[2][2] - f32(3 - DIM);
    let size = determinant(rows);
    let least = select(4.0 * size / max(trace * trace, 1e-6), 0.5 * trace - sqrt(max(0.25 * trace * trace - size, 0.0)), DIM == 2);
    for (var axis = 0; axis < DIM; axis++) { rows[axis][axis] += max(1.0 - 1.5 * least, 0.0); }
    let first = cross(rows[1], rows[2]);
    let second = cross(rows[2], rows[0]);
    let third = cross(rows[0], rows[1]);
    let scale = 1.0 / dot(rows[0], first);
    let diagonal = scale * vec3f(first.x, second.y, third.z);
    let others = scale * vec3f(second.z, first.z, first.y);
    var divergence = 0.0;
    for (var axis = 0; axis < DIM; axis++) { divergence += volume * corrected(diagonal, others, strain[axis])[axis]; }
    let levelled = 2.0 * params.diffusion * h * inverseSqrt(max(params.stiffness, 1e-6)) * volume * uneven_pressure;
    return Result(kernel().x * sum, levelled - rest_density() * divergence, diagonal, others, alone, 1.0 - missing);
}

// The normal of a surface, inwards; 0 where there is none.
fn surface(volume: f32, uneven: Vec) -> Vec {
    let off = length(uneven);
    return select(Vec(), uneven / max(off, 1e-20), volume * off * kernel().z > 1e-6);
}

// Along that normal, the part of the sum that is there.
fn filled(volume: f32, uneven: Vec, spread: array<Vec, 3>) -> f32 {
    let normal = surface(volume, uneven);
    var sum = 0.0;
    for (var axis = 0; axis < DIM; axis++) { sum += normal[axis] * volume * dot(spread[axis], normal); }
    return select(1.0, min(sum, 1.0), dot(normal, normal) > 0.5);
}
