//! Random points
//! Random points by the serial number of a particle.

// Uniform in the unit ball: a normal deviate has no favourite direction, and volume grows with the radius to DIM.
fn random_in_ball(serial: u32, salt: u32) -> Vec {
    var normal = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let one = salt + 2u * u32(axis);
        let far = sqrt(-2.0 * log(1.0 - random_at(serial, one)));
        normal[axis] = far * cos(6.2831853 * random_at(serial, one + 1u));
    }
    return normal / max(length(normal), 1e-20) * pow(random_at(serial, salt + 7u), 1.0 / f32(DIM));
}

// Uniform in the unit box.
fn random_place(serial: u32, salt: u32) -> Vec {
    var place = Vec();
    for (var axis = 0; axis < DIM; axis++) { place[axis] = random_at(serial, salt + u32(axis)); }
    return place;
}
