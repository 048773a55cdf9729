//! DFSPH Pressure
//! Half of an iteration: changes each pressure so that the density at the end of the step is that at rest. Expected is
//! rho + dt (sum_j m (v_i - v_j) . grad W + walls);  where it is above rho_0, or below it with pressure left, the pressure changes by  relaxation (expected - rho_0) rho^2/(dt^2 factor),
//! never to below zero. From the second iteration of a group on, it goes on in the direction of the last change (Nesterov), so n rows of particles take about n iterations, not n^2.
//! v_j of an image is mirrored. DFSPH Correct is the other half. Of a density above rho_0, only the part `correction` is removed in a step: at 0 the velocity is made free of compression, at 1 the density is restored at once.
//! Source: Bender and Koschier, SCA 2015, algorithms 2 and 3, with both conditions in one solve; relaxed Jacobi with a total pressure: Ihmsen et al., IEEE TVCG 20, 2014 (IISPH);
//! projected Nesterov: Mazhar et al., ACM Trans. Graph. 34, 2015.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    kernel: vec4f              From SPH Kernel
//! @in    dt: f32 = 0                Time step; 0 is the frame's [s]
//! @in    rest_density: f32 = 1000   Density at rest rho_0 [kg/m^3]
//! @inout particles: Particles{position: Vec, velocity: Vec, density: f32, answer: vec2f, walls: vec4f, pressure: f32} -> {pressure: f32, kappa: f32, answer: vec2f}    The fluid; its pressure [Pa] changes; gains the change over rho^2 [m^5/kg/s^2], and p/rho^2 before going on
//! @out   error: f32, reduce sum    Mean of what was wrong before with the expected density, over rho_0; what no pressure can change does not count
//! @param correction: f32 = 0.2, 0..1    Part of the density's excess that a step removes
//! @param relaxation: f32 = 0.8, 0..1    Weight of a change; at 1 it may diverge where particles are few

fn stage(particle: Particle) -> Result {
    let h = kernel().z;
    let inverse_h = 1.0 / h;
    let dt = select(frame.dt, dt(), dt() > 0.0);
    // The nearest closed side within reach: its axis, its plane, and four times the distance to it. Farther images are part of `walls`.
    var axes = Vec();
    var plane = 0.0;
    var depth = 4.0 * h;
    for (var axis = 0; axis < DIM; axis++) {
        let side = i32(2.0 * particle.position[axis] > SIZE[axis]);
        let distance = 4.0 * abs(particle.position[axis] - f32(side) * SIZE[axis]);
        if distance >= depth || !wall_face(side * RESOLUTION, axis) { continue; }
        axes = Vec(unit(axis));
        plane = f32(side) * SIZE[axis];
        depth = distance;
    }
    let walled = depth < 4.0 * h;
    var rate = 0.0;
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h { continue; }
        let inside = 1.0 - sqrt(square) * inverse_h;
        rate += inside * inside * inside * dot(particle.velocity - particles(near.index).velocity, apart);
        if !walled { continue; }
        let across = plane - dot(axes, particles(near.index).position);
        let beyond = square + depth * abs(across);
        if beyond >= h * h { continue; }
        let image = 1.0 - sqrt(beyond) * inverse_h;
        rate += image * image * image * dot(particle.velocity - (1.0 - 2.0 * axes) * particles(near.index).velocity, apart + 2.0 * across * axes);
    }
    rate = kernel().y * rate + particle.walls.w;
    for (var axis = 0; axis < DIM; axis++) { rate += particle.walls[axis] * particle.velocity[axis]; }
    let excess = particle.density - rest_density();
    let wrong = dt * rate + min(excess, 0.0) + params.correction * max(excess, 0.0);
    let squared = particle.density * particle.density;
    let before = particle.pressure / squared;
    let answer = dt * dt * max(particle.answer.x, 1e-20);
    let after = max(before + params.relaxation * wrong / answer, 0.0);
    let turn = f32(substep);
    let beyond = select(after, max(after + turn / (turn + 3.0) * (after - particle.answer.y), 0.0), substep > 0);
    let error = abs(after - before) * answer / max(params.relaxation, 1e-6) / rest_density();
    return Result(beyond * squared, beyond - before, vec2f(particle.answer.x, after), error / f32(max(particles_count(), 1u)));
}
