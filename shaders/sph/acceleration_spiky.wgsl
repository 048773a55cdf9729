//! SPH Acceleration (spiky)
//! Acceleration of each particle by pressure, viscosity and gravity, as in the article:
//! a_i = -sum_j m (p_i + p_j)/(2 rho_i rho_j) grad spiky + viscosity sum_j m (v_j - v_i)/(rho_i rho_j) lap viscosity + g.
//! Both sums act on two particles equally in opposite directions, so momentum is conserved. Energy is not, since density and pressure
//! use different kernels. Below a viscosity of about  0.01 rho_0 h sqrt(stiffness)  a fluid at rest begins to boil. The mean (p_i + p_j)/2
//! gives half of the pressure gradient, so a tank at rest has 2.4 times the hydrostatic pressure. SPH Acceleration has neither flaw.
//! Source: Mueller, Charypar and Gross, SCA 2003, equations 10, 14, 21 and 22; the article's step 4.3.
//!
//! @in    neighbors: NeighborGrid    Neighbour grid of the particles
//! @in    radius: f32                Smoothing radius h [m]
//! @in    spiky: f32                 Mass times the factor of the spiky kernel's gradient [kg/m^4]
//! @in    laplacian: f32             Mass times the factor of the viscosity kernel's Laplacian [kg/m^5]
//! @inout particles: Particles{position: Vec, velocity: Vec, density: f32, pressure: f32} -> {acceleration: Vec}    The fluid; gains its acceleration [m/s^2]
//! @param viscosity: f32 = 10, 0.., soft 0..100                      Dynamic viscosity [Pa s]
//! @param gravity: Vec = (0, -9.81, 0), soft -20..20, handle vector  Acceleration everywhere [m/s^2]

fn stage(particle: Particle) -> Vec {
    let h = radius();
    let inverse_h = 1.0 / h;
    let push = 0.5 * spiky();
    let drag = params.viscosity * laplacian();
    var sum = Vec();
    var near = neighbors(particle.position);
    while (neighbors_next(&near)) {
        let apart = displacement(particle.position, particles(near.index).position);
        let square = dot(apart, apart);
        if square >= h * h || near.index == particle.index { continue; }
        let other = particles(near.index); // one in six candidates is near enough to be read in full
        let inverse = inverseSqrt(max(square, 1e-12 * h * h));
        var away = -apart * inverse;
        // Two in one place part along x: any direction will do as long as it is the other's opposite.
        if square < 1e-12 * h * h { away = Vec(unit(0)) * select(-1.0, 1.0, particle.index > near.index); }
        let inside = 1.0 - square * inverse * inverse_h;
        let pressed = push * (particle.pressure + other.pressure) * inside * inside * away;
        let dragged = drag * inside * (other.velocity - particle.velocity);
        sum += (pressed + dragged) / other.density;
    }
    return sum / particle.density + params.gravity;
}
