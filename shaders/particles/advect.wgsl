//! Advect Particles
//! Carries massless particles along a flow:  dx/dt = u(x),  with Euler's, the midpoint or the classical Runge-Kutta rule.
//! Source: Butcher, Numerical Methods for Ordinary Differential Equations, ch. 23.
//!
//! @in    velocity: Field<Vec>      Flow [m/s]
//! @inout particles: Particles{position: Vec} -> {position: Vec}    The particle set
//! @param order: i32 = 2, 1..4, fixed    1 Euler, 2 midpoint, 3 or 4 classical Runge-Kutta

fn stage(particle: Particle) -> Vec {
    let place = particle.position;
    let dt = frame.dt;
    // The flow is called in one place: a driver may copy all of its text to each call.
    var slope = Vec();
    var sum = Vec();
    for (var k = 0; k < params.order; k++) {
        slope = velocity(place + select(0.5, 1.0, k == 3) * dt * slope);
        sum += select(1.0, 2.0, k == 1 || k == 2) * slope;
    }
    if params.order < 3 { return place + dt * slope; }
    if params.order == 3 { sum += velocity(place + dt * slope); }
    return place + dt / 6.0 * sum;
}
