//! Rotation
//! Rotation around `params.axis` by `params.angle`.

// A vector turned back by the angle; in 2D around z.
fn turn_back(v: vec3f) -> vec3f {
    let axis = select(vec3f(0.0, 0.0, 1.0), params.axis / max(length(params.axis), 1e-20), DIM == 3);
    let angle = -radians(params.angle);
    return v * cos(angle) + cross(axis, v) * sin(angle) + axis * dot(axis, v) * (1.0 - cos(angle));
}
