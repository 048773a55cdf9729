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
    let first = velocity(place);
    if params.order == 1 { return place + dt * first; }
    let second = velocity(place + 0.5 * dt * first);
    if params.order == 2 { return place + dt * second; }
    let third = velocity(place + 0.5 * dt * second);
    let fourth = velocity(place + dt * third);
    return place + dt / 6.0 * (first + 2.0 * second + 2.0 * third + fourth);
}
