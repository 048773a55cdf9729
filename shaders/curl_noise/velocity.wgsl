//! Curl Noise Velocity
//! The flow of Noise Potential and Plume, by exact derivatives in one evaluation, where Curl takes six. Since n = grad(d) has no curl,
//! u = sum of [grad(alpha) x psi + alpha curl(psi) + (1 - alpha) grad(n . psi) x n],  grad(n . psi) = n J + H psi,
//! with J the Jacobian of psi and H the Hessian of d. Near sharp edges (1 - alpha) has the factor of Constrain Potential, and its gradient.
//! With `no_slip` only the terms of alpha are left, a smooth step. And for the plume's factor h:  curl(h psi) = h u + grad(h) x psi.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise, SIGGRAPH 2007, equations 4 and 5; Perlin and Neyret, Flow Noise, 2001.
//!
//! @in    shape: Field<f32> = 1e9                            Signed distance to the obstacles [m]
//! @in    phase: f32 = 0                                     What a speed that changes adds up to, from Integral over Time [m]
//! @out   velocity: Field<Vec>                               u [m/s]
//! @param scale: vec4f = (0.4, 0.23, 0.11, 0.05), 0.001..    Size of the eddies of each octave [m]
//! @param gain: vec4f = (1, 0.5, 0.25, 0), soft 0..4         Strength of each octave; 0 omits it [m^2/s]
//! @param speed: f32 = 0.1, 0.., soft 0..1, steady phase     Eddies of size L change within about L / speed; a constant [m/s]
//! @param seed: u32 = 0, soft 0..100                         Random seed
//! @param no_slip: bool = false, fixed                       The viscous condition: on the surface and inside, the flow is zero
//! @param sharpness: f32 = 1, 0.., soft 0..4, fixed          Curvature from which an edge is sharp, for each octave; at 0 no edge is
//! @param base: f32 = 0, soft -4..4                          Height of a plume's source, see Plume [m]
//! @param height: f32 = 0, 0.., soft 0..10                   Height over which its turbulence grows; 0 is uniform [m]
//! @param step: f32 = 0.002, 0.0001.., soft 0.001..0.02      Half the distance of the differences for the shape's derivatives [m]
//! @use shared/space
//! @use shared/components
//! @use shared/hash
//! @use shared/flow_noise

struct Noise { value: vec3f, slope: mat3x3f } // three noises, and their derivatives along x, y and z as columns

fn stage(position: Vec) -> Vec {
    let distance = shape(position);
    let reach = select(vec4f(), params.scale, params.gain != vec4f());
    let near = distance < max(max(reach.x, reach.y), max(reach.z, reach.w)); // of most places the shape is far
    var normal = vec3f();
    if near { normal = grown(position); }
    var flow = vec3f();
    var psi = vec3f(); // constrained
    var held = vec3f(); // (1 - alpha) psi
    var turned = vec3f(); // (1 - alpha) n J, and the gradient of the factor at edges times n . psi
    for (var octave = 0; octave < 4; octave++) {
        if params.gain[octave] == 0.0 { continue; }
        let scale = params.scale[octave];
        let three = noise(in_space(position) / scale, octave, turning() / scale);
        let part = params.gain[octave] * three.value;
        let slope = params.gain[octave] / scale * three.slope;
        let alpha = select(ramp(distance / scale), rise(distance / scale), params.no_slip != 0);
        var kept = select(1.0 - alpha.x, 0.0, params.no_slip != 0);
        flow += alpha.y / scale * cross(normal, part) + alpha.x * curl(slope);
        if params.sharpness > 0.0 {
            if kept > 0.0 {
                let factor = smoothness(position, vec4f(normal, distance), 0.25 * scale);
                turned += kept * dot(normal, part) * factor.xyz;
                kept *= factor.w;
            }
        }
        psi += alpha.x * part + kept * dot(normal, part) * normal;
        held += kept * part;
        turned += kept * (normal * slope);
    }
    if near && params.no_slip == 0 { flow += cross(turned + bent(position, held), normal); }
    if params.height == 0.0 { return in_domain(flow); }
    let rising = ramp((position.y - params.base) / params.height);
    return in_domain(rising.x * flow + cross(vec3f(0.0, rising.y / params.height, 0.0), psi));
}
fn curl(slope: mat3x3f) -> vec3f { return vec3f(slope[1].z - slope[2].y, slope[2].x - slope[0].z, slope[0].y - slope[1].x); }
fn grown(position: Vec) -> vec3f { return in_space(shape_gradient(position, params.step)); }

// The Hessian of the distance times a vector: how the normal changes along it.
fn bent(position: Vec, held: vec3f) -> vec3f {
    let step = in_domain(held) * (params.step / max(length(held), 1e-12));
    return (grown(position + step) - grown(position - step)) * (length(held) / (2.0 * params.step));
}

// The factor of Constrain Potential, which is 0 around edges, as the last component; its gradient as the others. `here` is laid out the same.
fn smoothness(position: Vec, here: vec4f, reach: f32) -> vec4f {
    var bend = -f32(FACES) * here;
    for (var face = 0; face < FACES; face++) {
        let beside = position + reach * face_normal(face);
        bend += vec4f(grown(beside), shape(beside));
    }
    let x = clamp(2.0 * abs(bend.w) / (reach * params.sharpness) - 1.0, 0.0, 1.0);
    let slope = -12.0 * x * (1.0 - x) * sign(bend.w) / (reach * params.sharpness);
    return vec4f(slope * bend.xyz, 1.0 - x * x * (3.0 - 2.0 * x));
}

fn ramp(r: f32) -> vec2f { // with its slope, as the next one
    let x = clamp(r, -1.0, 1.0);
    return vec2f(x * (1.875 + x * x * (0.375 * x * x - 1.25)), 1.875 * (1.0 - x * x) * (1.0 - x * x));
}
fn rise(r: f32) -> vec2f { return 0.5 * vec2f(1.0, 0.0) + vec2f(0.5, 1.0) * ramp(2.0 * r - 1.0); }
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
