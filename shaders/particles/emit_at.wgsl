//! Emit at a Place
//! Emits particles at a place that a stage computes, such as that of a body: what it sheds. They keep a part of its velocity.
//! Set the attributes that they start with zero, such as `age`, in the State.
//! Keywords: shed, trail, body
//!
//! @in    amount: u32 = 1                            Particles to emit in each frame; for a number per second, from Emission Rate
//! @in    center: vec3f                              The place, such as from Path or Grabbed Body; a 2D domain ignores the third coordinate [m]
//! @in    velocity: vec3f = 0                        Its velocity [m/s]
//! @inout particles: Particles{} -> {position: Vec, velocity: Vec, id: u32}, emit amount    The particle set
//! @param behind: f32 = 0, soft -1..1                Distance behind the place, against the velocity [m]
//! @param radius: f32 = 0, 0.., soft 0..1            Radius of the ball around it that they are spread over [m]
//! @param kept: f32 = 1, soft -1..2                  Part of the velocity that they keep
//! @use shared/components

fn stage(particle: Particle) -> Result {
    let moving = in_domain(velocity());
    let backward = -moving / max(length(moving), 1e-20);
    let place = in_domain(center()) + params.behind * backward + params.radius * random_in_ball(particle.serial);
    return Result(place, params.kept * moving, particle.serial);
}

// Uniform in the unit ball: a normal deviate has no favourite direction, and volume grows with the radius to DIM.
fn random_in_ball(serial: u32) -> Vec {
    var normal = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let one = 2u * u32(axis);
        let far = sqrt(-2.0 * log(1.0 - random_at(serial, one)));
        normal[axis] = far * cos(6.2831853 * random_at(serial, one + 1u));
    }
    return normal / max(length(normal), 1e-20) * pow(random_at(serial, 7u), 1.0 / f32(DIM));
}
