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

// A rotation that goes on with an angular velocity for a while.
fn turned_on(q: vec4f, spin: vec3f, time: f32) -> vec4f {
    let half = 0.5 * time * length(spin);
    let more = vec4f(sin(half) * spin / max(length(spin), 1e-20), cos(half));
    let next = vec4f(more.w * q.xyz + q.w * more.xyz + cross(more.xyz, q.xyz), more.w * q.w - dot(more.xyz, q.xyz));
    return next / max(length(next), 1e-20);
}
