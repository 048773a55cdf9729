//! Flow noise
//! What gradient noise that changes in place is made of. Reads the input `phase` and `params.speed`.

// Three times ten bits as a vector in the cube of -1..1: the leading digits of numbers from 2 to 4, less than converting costs.
fn direction(bits: u32) -> vec3f {
    return bitcast<vec3f>((vec3u(bits << 13u, bits << 3u, bits >> 7u) & vec3u(0x7fe000u)) | vec3u(0x40000000u)) - 2.9990234375;
}

// How far the eddies have changed since the start [m].
fn turning() -> f32 {
    if phase_wired { return phase(); }
    return frame.time * params.speed;
}
