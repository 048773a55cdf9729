//! SPH Corrected Acceleration
//! Acceleration by pressure with corrected gradients, viscosity and gravity:
//! a_i = sum_j m/rho_0^2 ((p_i L_i + p_j L_j) |W'|/r + Pi_ij D) (x_i - x_j) + g,  with Pi and D as in SPH Acceleration. Forces between two particles are equal and opposite, so momentum is conserved;
//! angular momentum is up to the order of the spacing. What the same pressure everywhere would do,  sum_j V (L_i + L_j)/2 |W'|/r (x_i - x_j),  is returned for SPH Shift.
//! Source: Bonet and Lok, Comput. Methods Appl. Mech. Eng. 180, 1999; Vila, Math. Models Methods Appl. Sci. 9, 1999 (the conservative form with L); Monaghan, Rep. Prog. Phys. 68, 2005, equation 8.9 (viscosity).
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @in    rest_density: f32 = 1000   Density at rest rho_0 [kg/m^3]
//! @inout particles: Particles{position: Vec, velocity: Vec, expected: f32, diagonal: vec3f, others: vec3f} -> {acceleration: Vec, uneven: Vec}    The fluid; gains its acceleration [m/s^2] and the direction in which particles are missing [1/m]
//! @param viscosity: f32 = 10, 0.., soft 0..100                      Dynamic viscosity mu [Pa s]
//! @param artificial: f32 = 0, 0.., soft 0..1                        Artificial viscosity alpha; 0.01 to 0.1 for impacts
//! @param stiffness: f32 = 200, 0.., soft 0..2000                    Stiffness of the pressure, for the artificial viscosity [m^2/s^2]
//! @param gravity: Vec = (0, -9.81, 0), soft -20..20, handle vector  Acceleration everywhere [m/s^2]
//! @use shared/axes
//! @use shared/sph_correction

fn stage(particle: Particle) -> Result {
    let h = kernel().z;
    let inverse_h = 1.0 / h;
    let weights = unpack2x16float(bitcast<u32>(kernel().w));
    let density = rest_density();
    let drag = 2.0 * f32(DIM + 2) * params.viscosity / density * inverse_h * inverse_h;
    let shock = 0.5 * params.artificial * sqrt(params.stiffness) * inverse_h;
    // The nearest closed side along each axis, and a bit for each that is within reach.
    var planes = Vec();
    var sides = 0;
    for (var axis = 0; axis < DIM; axis++) {
        let side = i32(2.0 * particle.position[axis] > SIZE[axis]);
        planes[axis] = f32(side) * SIZE[axis];
        if abs(particle.position[axis] - planes[axis]) < h && wall_face(side * RESOLUTION, axis) { sides |= 1 << u32(axis); }
    }
    var force = Vec();
    var even = Vec();
    var dragged = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let place = particles(near.index).position;
        let apart = displacement(particle.position, place);
        // The neighbour and its images: every set of the sides within reach.
        for (var image = sides; image >= 0; image = select((image - 1) & sides, -1, image == 0)) {
            let axes = bits(image);
            let reach = apart + 2.0 * axes * (planes - place);
            let square = dot(reach, reach);
            if square >= h * h || (near.index == particle.index && image == 0) { continue; }
            let other = particles(near.index);
            let turn = 1.0 - 2.0 * axes;
            let inside = 1.0 - sqrt(square) * inverse_h;
            let cubed = inside * inside * inside;
            let own = corrected(particle.diagonal, particle.others, reach);
            let its = turn * corrected(other.diagonal, other.others, turn * reach);
            force += cubed * (particle.expected * own + other.expected * its);
            even += cubed * (own + its);
            let closing = dot(turn * other.velocity - particle.velocity, reach);
            dragged += inside * (weights.y * inside * inside + weights.x) * (drag + select(0.0, shock, closing < 0.0)) * closing * reach;
        }
    }
    let factor = kernel().y / density;
    return Result(factor * (dragged - force / density) + params.gravity, -0.5 * factor * even);
}
