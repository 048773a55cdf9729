//! Force
//! Applies acceleration and drag to particles:  dv/dt = constant + acceleration(x) - drag v,  solved exactly over the step for an
//! acceleration that is constant during the step, so it is stable for any drag.
//!
//! @in    acceleration: Field<Vec> = 0                                Acceleration by position [m/s^2]
//! @in    dt: f32 = 0                                                 Time step; 0 is the frame's [s]
//! @inout particles: Particles{position: Vec, velocity: Vec} -> {velocity: Vec}    The particle set
//! @param constant: Vec = (0, -9.81, 0), soft -20..20, handle vector  Acceleration everywhere [m/s^2]
//! @param drag: f32 = 0, 0.., soft 0..10                              Drag; 1 / drag is the time in which a velocity decays to 1/e [1/s]

fn stage(particle: Particle) -> Vec {
    let dt = select(frame.dt, dt(), dt() > 0.0);
    let slowing = params.drag * dt;
    // (1 - exp(-s)) / s, and its series where that cancels.
    let share = select((1.0 - exp(-slowing)) / max(slowing, 1e-3), 1.0 - 0.5 * slowing, slowing < 1e-3);
    let push = params.constant + acceleration(particle.position);
    return particle.velocity * exp(-slowing) + push * (dt * share);
}
