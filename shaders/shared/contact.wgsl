//! Contact
//! Velocity after contact. Reads `params.friction` and `params.restitution`.

// A velocity after it has hit a surface at rest.
fn bounced(velocity: Vec, normal: Vec) -> Vec {
    let across = dot(velocity, normal);
    if across >= 0.0 { return velocity; }
    let along = velocity - across * normal;
    let taken = params.friction * (1.0 + params.restitution) * -across;
    return along * max(1.0 - taken / max(length(along), 1e-20), 0.0) - params.restitution * across * normal;
}
