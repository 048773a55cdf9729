//! SPH Acceleration
//! Acceleration of each particle by pressure, viscosity and gravity:
//! a_i = -sum_j m (p_i/rho_i^2 + p_j/rho_j^2) grad W + sum_j m Pi_ij D x_ij + g,  Pi_ij = -(2 (DIM + 2) mu/(rho_i rho_j) + shock) v_ij . x_ij/h^2.  Where two particles approach,
//! shock is Monaghan's artificial viscosity,  alpha c h/2 / rho_ij,  c = sqrt(stiffness).  Its and mu's weight D is that of SPH Kernel, which makes the viscosity of the lattice mu along its axes and its diagonals. All forces act along the line between two particles, equally
//! in opposite directions, so momentum and angular momentum are conserved. The images of SPH Density beyond closed sides of the domain act like particles: such a side pushes back, and takes no friction. The pressure is the derivative of an energy, since its kernel is that of the density: without
//! viscosity energy is conserved up to the order of the time step, with it energy decreases. SPH Limits has the limits of the step.
//! Source: Monaghan, Rep. Prog. Phys. 68, 2005, equations 3.4, 4.2 and 8.9 (with 2 (DIM + 2), which makes mu the viscosity, and D in place of the kernel's slope over r^2); artificial viscosity: Monaghan, Annu. Rev. Astron. Astrophys. 30, 1992; Colagrossi and Landrini, J. Comput. Phys. 191, 2003 (images).
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec, velocity: Vec, density: f32, pressure: f32} -> {acceleration: Vec}    The fluid; gains its acceleration [m/s^2]
//! @param viscosity: f32 = 10, 0.., soft 0..100                      Dynamic viscosity mu [Pa s]
//! @param artificial: f32 = 0, 0.., soft 0..1                        Artificial viscosity alpha; 0.01 to 0.1 for impacts
//! @param stiffness: f32 = 200, 0.., soft 0..2000                    Stiffness of the pressure, for the artificial viscosity [m^2/s^2]
//! @param gravity: Vec = (0, -9.81, 0), soft -20..20, handle vector  Acceleration everywhere [m/s^2]
//! @use shared/axes

fn stage(particle: Particle) -> Vec {
    let h = kernel().z;
    let inverse_h = 1.0 / h;
    let weights = unpack2x16float(bitcast<u32>(kernel().w));
    let drag = 2.0 * f32(DIM + 2) * params.viscosity / particle.density * inverse_h * inverse_h;
    let shock = params.artificial * sqrt(params.stiffness) * inverse_h; // alpha c h/2 over the mean of the densities is h^2 times this over their sum
    let pressed = particle.pressure / (particle.density * particle.density);
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
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h { continue; }
        let other = particles(near.index); // one in six candidates is near enough to be read in full
        let both = pressed + other.pressure / (other.density * other.density);
        // Two in one place part along x: any direction will do as long as it is the other's opposite.
        let toward = select(apart, Vec(unit(0)) * select(-0.001, 0.001, particle.index < near.index) * h, square < 1e-12 * h * h);
        let inside = select(1.0 - sqrt(square) * inverse_h, 0.0, near.index == particle.index);
        let closing = dot(other.velocity - particle.velocity, apart);
        let damped = drag / other.density + select(0.0, shock / (particle.density + other.density), closing < 0.0);
        sum -= inside * (inside * inside * both - (weights.y * inside * inside + weights.x) * damped * closing) * toward;
        if !beside { continue; }
        let farther = depth * abs(other.position - planes) + far; // squares of the distances to images, less that to the particle
        var nearest = farther.x;
        for (var axis = 1; axis < DIM; axis++) { nearest = min(nearest, farther[axis]); }
        if square + nearest >= h * h { continue; }
        // One image for each set of sides: three of them in 2D.
        for (var image = 1; image < 8; image++) {
            let axes = bits(image);
            let beyond = square + dot(axes, farther);
            if image < 4 * (DIM - 1) && beyond < h * h {
                let reach = apart + 2.0 * axes * (planes - other.position);
                let inside = 1.0 - sqrt(beyond) * inverse_h;
                let closing = dot((1.0 - 2.0 * axes) * other.velocity - particle.velocity, reach);
                let damped = drag / other.density + select(0.0, shock / (particle.density + other.density), closing < 0.0);
                sum -= inside * (inside * inside * both - (weights.y * inside * inside + weights.x) * damped * closing) * reach;
            }
        }
    }
    return sum * kernel().y + params.gravity;
}
