//! Quaternions
//! Rotations in space as (x, y, z, w).
//! Source: Hamilton 1844.

// A vector turned by a rotation.
fn turned_by(q: vec4f, v: vec3f) -> vec3f {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

// A vector turned back.
fn turned_back(q: vec4f, v: vec3f) -> vec3f {
    return turned_by(vec4f(-q.xyz, q.w), v);
}
