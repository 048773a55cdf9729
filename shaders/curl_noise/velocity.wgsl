//! Curl Noise Velocity
//! The flow of Noise Potential and Plume, by exact derivatives in one evaluation, where Curl takes six. Since n = grad(d) has no curl,
//! u = sum of [grad(alpha) x psi + alpha curl(psi) + (1 - alpha) grad(n . psi) x n],  grad(n . psi) = n J + H psi,
//! with J the Jacobian of psi and H the Hessian of d; and for the plume's factor h:  curl(h psi) = h u + grad(h) x psi.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise, SIGGRAPH 2007, equations 4 and 5; Perlin and Neyret, Flow Noise, 2001.
//!
//! @in    shape: Field<f32> = 1e9                            Signed distance to the obstacles [m]
//! @out   velocity: Field<Vec>                               u [m/s]
//! @param scale: vec4f = (0.4, 0.23, 0.11, 0.05), 0.001..    Size of the eddies of each octave [m]
//! @param gain: vec4f = (1, 0.5, 0.25, 0), soft 0..4         Strength of each octave; 0 omits it [m^2/s]
//! @param speed: f32 = 0.1, 0.., soft 0..1                   Eddies of size L change within about L / speed [m/s]
//! @param seed: u32 = 0, soft 0..100                         Random seed
//! @param base: f32 = 0, soft -4..4                          Height of a plume's source, see Plume [m]
//! @param height: f32 = 0, 0.., soft 0..10                   Height over which its turbulence grows; 0 is uniform [m]
//! @param step: f32 = 0.002, 0.0001.., soft 0.001..0.02      Half the distance of the differences for the shape's derivatives [m]

// Three noises, and their derivatives along x, y and z as columns.
struct Noise { value: vec3f, slope: mat3x3f }

fn stage(position: Vec) -> Vec {
    let distance = shape(position);
    let reach = select(vec4f(), params.scale, params.gain != vec4f());
    let near = distance < max(max(reach.x, reach.y), max(reach.z, reach.w)); // of most places the shape is far
    var normal = vec3f();
    if near { normal = in_space(shape_gradient(position, params.step)); }
    var flow = vec3f();
    var psi = vec3f(); // constrained
    var held = vec3f(); // (1 - alpha) psi
    var turned = vec3f(); // (1 - alpha) n J
    for (var octave = 0; octave < 4; octave++) {
        if params.gain[octave] == 0.0 { continue; }
        let scale = params.scale[octave];
        let noise = noise(in_space(position) / scale, octave, frame.time * params.speed / scale);
        let part = params.gain[octave] * noise.value;
        let slope = params.gain[octave] / scale * noise.slope;
        let alpha = ramp(distance / scale);
        let alpha_slope = ramp_slope(distance / scale) / scale;
        psi += alpha * part + (1.0 - alpha) * dot(normal, part) * normal;
        flow += alpha_slope * cross(normal, part) + alpha * curl(slope);
        held += (1.0 - alpha) * part;
        turned += (1.0 - alpha) * (normal * slope);
    }
    if near { flow += cross(turned + bent(position, held), normal); }
    if params.height > 0.0 {
        let x = (position.y - params.base) / params.height;
        flow = ramp(x) * flow + cross(vec3f(0.0, ramp_slope(x) / params.height, 0.0), psi);
    }
    return in_domain(flow);
}
fn curl(slope: mat3x3f) -> vec3f { return vec3f(slope[1].z - slope[2].y, slope[2].x - slope[0].z, slope[0].y - slope[1].x); }

// The Hessian of the distance times a vector: how the normal changes along it.
fn bent(position: Vec, held: vec3f) -> vec3f {
    let along = in_domain(held);
    let step = along * (params.step / max(length(along), 1e-12));
    let change = shape_gradient(position + step, params.step) - shape_gradient(position - step, params.step);
    return in_space(change) * (length(along) / (2.0 * params.step));
}

fn ramp(r: f32) -> f32 {
    let x = clamp(r, -1.0, 1.0);
    return x * (1.875 + x * x * (0.375 * x * x - 1.25));
}

fn ramp_slope(r: f32) -> f32 { return 1.875 * pow(1.0 - min(r * r, 1.0), 2.0); }

fn noise(point: vec3f, octave: i32, turns: f32) -> Noise {
    let corner = floor(point);
    let t = point - corner;
    let fade = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let slope = 30.0 * t * t * (t - 1.0) * (t - 1.0);
    var sum = Noise();
    for (var i = 0; i < 8; i++) {
        let side = vec3f(f32(i & 1), f32((i >> 1u) & 1), f32(i >> 2u));
        let w = mix(1.0 - fade, fade, side);
        let change = slope * (2.0 * side - 1.0) * vec3f(w.y * w.z, w.z * w.x, w.x * w.y);
        let g = gradients(vec3i(corner) + vec3i(side), octave, turns);
        let value = (t - side) * g;
        sum.value += w.x * w.y * w.z * value;
        sum.slope += w.x * w.y * w.z * transpose(g) + mat3x3f(value * change.x, value * change.y, value * change.z);
    }
    return sum;
}

// Gradients of the three noises at a lattice point, as columns; in the plane only z counts.
fn gradients(corner: vec3i, octave: i32, turns: f32) -> mat3x3f {
    let hash = pcg(vec3u(corner) + vec3u(frame.seed * 7919u, params.seed * 104729u, u32(octave) * 15485863u));
    var g = mat3x3f(direction(hash.x), direction(hash.y), direction(hash.z));
    if turns != 0.0 {
        let chance = bitcast<f32>(((hash.x ^ (hash.y * 747796405u) ^ hash.z) >> 9u) | 0x3f800000u) - 1.0;
        let x = fract(turns * (0.75 + 0.5 * chance) + vec2f(0.25, 0.0)) - 0.5;
        let now = x * (16.0 * abs(x) - 8.0); // a cosine and a sine made of parabolas: cheaper, and it turns as well
        g = now.x * g + now.y * mat3x3f(g[1], g[2], g[0]);
    }
    if DIM == 2 { return mat3x3f(vec3f(), vec3f(), g[2]); }
    return g;
}

// Three times ten bits as a vector in the cube of -1..1: the leading digits of numbers from 2 to 4, less than converting costs.
fn direction(bits: u32) -> vec3f {
    return bitcast<vec3f>((vec3u(bits << 13u, bits << 3u, bits >> 7u) & vec3u(0x7fe000u)) | vec3u(0x40000000u)) - 2.9990234375;
}

// Hash PCG3D: Jarzynski and Olano, JCGT 2020.
fn pcg(seed: vec3u) -> vec3u {
    var v = seed * 1664525u + 1013904223u;
    for (var round = 0; round < 2; round++) {
        for (var i = 0; i < 3; i++) { v = vec3u(v.yz, v.x + v.y * v.z); }
        v ^= (v >> vec3u(16u)) * u32(1 - round);
    }
    return v;
}

fn in_space(v: Vec) -> vec3f { return vec3f(v.xy, select(0.0, v[DIM - 1], DIM == 3)); }

fn in_domain(v: vec3f) -> Vec {
    var part = Vec();
    for (var axis = 0; axis < DIM; axis++) { part[axis] = v[axis]; }
    return part;
}
