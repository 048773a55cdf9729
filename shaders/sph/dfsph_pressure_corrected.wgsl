//! DFSPH Pressure (corrected)
//! Half of an iteration of a pressure that is implicit in time, by corrected gradients:  (p - p_start)/c^2 = dt drho/dt + restoring c dt/h (rho - rho_0 - p_start/c^2),
//! where drho/dt is that of SPH Corrected Density with the velocity so far, and the last term acts where the kernel is full. The change is a relaxed Jacobi step, from the second iteration on continued in the direction of the last (Nesterov).
//! c may be far above what dt would allow a pressure that is explicit. It is not infinite: what rows of particles resist that slip past each other has an alternating sign, and cancels within the time that a row takes for one spacing if p may lag; without, they lock.
//! Source: Bender and Koschier, SCA 2015; Ihmsen et al., IEEE TVCG 20, 2014; Mazhar et al., ACM Trans. Graph. 34, 2015; Vila, Math. Models Methods Appl. Sci. 9, 1999 (corrected gradients).
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @in    dt: f32 = 0                Time step; 0 is the frame's [s]
//! @in    rest_density: f32 = 1000   Density at rest rho_0 [kg/m^3]
//! @inout particles: Particles{position: Vec, velocity: Vec, density: f32, diagonal: vec3f, others: vec3f, filled: f32, answer: vec2f, walls: vec4f, pressure: f32, expected: f32} -> {pressure: f32, kappa: f32, answer: vec2f}    The fluid; its pressure [Pa] changes; gains the change over rho_0^2 [m^5/kg/s^2], and p before going on
//! @out   error: f32, reduce sum    Mean of what was wrong before with the expected density, over rho_0
//! @param stiffness: f32 = 200, 0.001.., soft 0..2000    Square of the speed of sound c, ten times the fastest flow or wave [m^2/s^2]
//! @param restoring: f32 = 0.001, 0..0.1             Approach to the pressure of the density, over the time in which sound passes h
//! @param relaxation: f32 = 0.8, 0..1                Weight of a change; at 1 it may diverge where particles are few
//! @param clamp_negative: bool = false               No attraction where the fluid is stretched
//! @use shared/axes
//! @use shared/sph_correction

fn stage(particle: Particle) -> Result {
    let h = kernel().z;
    let inverse_h = 1.0 / h;
    let dt = select(frame.dt, dt(), dt() > 0.0);
    // The nearest closed side along each axis, and a bit for each that is within reach.
    var planes = Vec();
    var sides = 0;
    for (var axis = 0; axis < DIM; axis++) {
        let side = i32(2.0 * particle.position[axis] > SIZE[axis]);
        planes[axis] = f32(side) * SIZE[axis];
        if abs(particle.position[axis] - planes[axis]) < h && wall_face(side * RESOLUTION, axis) { sides |= 1 << u32(axis); }
    }
    var rate = 0.0;
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
            let slower = particle.velocity - (1.0 - 2.0 * axes) * particles(near.index).velocity;
            rate += cubed * dot(slower, corrected(particle.diagonal, particle.others, reach));
        }
    }
    rate = kernel().y * rate + particle.walls.w;
    for (var axis = 0; axis < DIM; axis++) { rate += particle.walls[axis] * particle.velocity[axis]; }
    let soft = 1.0 / params.stiffness;
    let approach = select(0.0, min(params.restoring * sqrt(params.stiffness) * dt * inverse_h, 1.0), particle.filled > 0.97);
    let before = particle.pressure;
    let wrong = dt * rate + approach * (particle.density - rest_density() - soft * particle.expected) - soft * (before - particle.expected);
    let answer = dt * dt * particle.answer.x / (rest_density() * rest_density()) + soft;
    let lowest = select(-1e30, 0.0, params.clamp_negative != 0);
    let after = max(before + params.relaxation * wrong / answer, lowest);
    let turn = f32(substep);
    let beyond = select(after, max(after + turn / (turn + 3.0) * (after - particle.answer.y), lowest), substep > 0);
    let error = abs(after - before) * answer / max(params.relaxation, 1e-6) / rest_density();
    return Result(beyond, (beyond - before) / (rest_density() * rest_density()), vec2f(particle.answer.x, after), error / f32(max(particles_count(), 1u)));
}
