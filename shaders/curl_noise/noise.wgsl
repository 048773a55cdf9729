//! Noise Potential
//! Vector potential of turbulence from up to four octaves of gradient noise:  psi = sum of gain_i N(x / scale_i, t).
//! Each octave respects the obstacle on its own scale:  alpha psi_i + (1 - alpha) n (n . psi_i),  alpha = ramp(d / scale_i),
//! which continues with its sign below the surface, so that differences across the surface see no kink.
//! Near sharp edges, where n would cause spikes, only  alpha psi_i  is used (equation 3), see Constrain Potential.
//! With `no_slip` the fluid sticks to the obstacle:  s(d / scale_i) psi_i,  with a smooth step s.
//! Its eddies change in place, since every lattice gradient rotates at its own rate. A 2D domain uses the z component.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise, SIGGRAPH 2007, equations 4 and 5; Perlin and Neyret, Flow Noise, 2001.
//!
//! @in    shape: Field<f32> = 1e9                            Signed distance to the obstacles [m]
//! @in    phase: f32 = 0                                     What a speed that changes adds up to, from Integral over Time [m]
//! @out   potential: Field<vec3f>                            psi; its curl is the flow [m^2/s]
//! @param scale: vec4f = (0.4, 0.23, 0.11, 0.05), 0.001..    Size of the eddies of each octave [m]
//! @param gain: vec4f = (1, 0.5, 0.25, 0), soft 0..4         Strength of each octave; 0 omits it [m^2/s]
//! @param speed: f32 = 0.1, 0.., soft 0..1, steady phase     Eddies of size L change within about L / speed; a constant [m/s]
//! @param seed: u32 = 0, soft 0..100                         Random seed
//! @param no_slip: bool = false, fixed                       The viscous condition: on the surface and inside, the flow is zero
//! @param sharpness: f32 = 1, 0.., soft 0..4, fixed          Curvature from which an edge is sharp, for each octave; at 0 no edge is
//! @param step: f32 = 0.002, 0.0001.., soft 0.001..0.02      Half the distance of the differences for the shape's normal [m]
//! @use shared/space
//! @use shared/hash
//! @use shared/flow_noise
//! @use shared/boundary_ramp
//! @use shared/surface_bend

fn stage(position: Vec) -> vec3f {
    let distance = shape(position);
    // As long as 1 but for ridges of the distance, where the normal component fades as it should.
    var normal = vec3f();
    if params.no_slip == 0 { normal = in_space(shape_gradient(position, params.step)); }
    var psi = vec3f();
    for (var octave = 0; octave < 4; octave++) {
        if params.gain[octave] == 0.0 { continue; }
        let scale = params.scale[octave];
        let part = params.gain[octave] * noise(in_space(position) / scale, octave, turning() / scale);
        if params.no_slip != 0 {
            psi += rise(distance / scale) * part;
            continue;
        }
        let alpha = ramp(distance / scale);
        var kept = 1.0 - alpha;
        if params.sharpness > 0.0 {
            if alpha < 1.0 { kept *= smoothness(position, distance, scale); }
        }
        psi += alpha * part + kept * dot(normal, part) * normal;
    }
    return psi;
}

// Three independent noises, each about -1..1 and twice continuously differentiable.
fn noise(point: vec3f, octave: i32, turns: f32) -> vec3f {
    let corner = floor(point);
    let t = point - corner;
    let fade = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    var sum = vec3f();
    for (var i = 0; i < 8; i++) {
        let side = vec3f(f32(i & 1), f32((i >> 1u) & 1), f32(i >> 2u));
        let weight = mix(1.0 - fade, fade, side);
        sum += weight.x * weight.y * weight.z * ((t - side) * gradients(vec3i(corner) + vec3i(side), octave, turns));
    }
    return sum;
}

// Gradients of the three noises at a lattice point, as columns.
fn gradients(corner: vec3i, octave: i32, turns: f32) -> mat3x3f {
    let hash = pcg(vec3u(corner) + vec3u(frame.seed * 7919u, params.seed * 104729u, u32(octave) * 15485863u));
    var g = mat3x3f(direction(hash.x), direction(hash.y), direction(hash.z));
    if turns != 0.0 {
        let chance = bitcast<f32>(((hash.x ^ (hash.y * 747796405u) ^ hash.z) >> 9u) | 0x3f800000u) - 1.0;
        let x = fract(turns * (0.75 + 0.5 * chance) + vec2f(0.25, 0.0)) - 0.5;
        let now = x * (16.0 * abs(x) - 8.0); // a cosine and a sine made of parabolas: cheaper, and it turns as well
        g = now.x * g + now.y * mat3x3f(g[1], g[2], g[0]);
    }
    return g;
}
