//! Hash
//! Random bits from three whole numbers.

// Hash PCG3D: Jarzynski and Olano, JCGT 2020.
fn pcg(seed: vec3u) -> vec3u {
    var v = seed * 1664525u + 1013904223u;
    for (var round = 0; round < 2; round++) {
        for (var i = 0; i < 3; i++) { v = vec3u(v.yz, v.x + v.y * v.z); }
        v ^= (v >> vec3u(16u)) * u32(1 - round);
    }
    return v;
}
