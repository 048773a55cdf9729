//! Noise Stream Function
//! Stream function of turbulence in the plane from up to four octaves of gradient noise:  psi = sum of gain_i N(x / scale_i, t).
//! Each octave respects the obstacle on its own scale:  ramp(d / scale_i) psi_i.  With `no_slip` a smooth step takes the
//! place of the ramp, and the fluid sticks to the obstacle.
//! Its eddies change in place, since every lattice gradient rotates at its own rate.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise, SIGGRAPH 2007, equations 3 and 4; Perlin and Neyret, Flow Noise, 2001.
//!
//! @in    shape: Field<f32> = 1e9                            Signed distance to the obstacles [m]
//! @in    phase: f32 = 0                                     What a speed that changes adds up to, from Integral over Time [m]
//! @out   potential: Field<f32>                              psi; the flow is (dpsi/dy, -dpsi/dx) [m^2/s]
//! @param scale: vec4f = (0.4, 0.23, 0.11, 0.05), 0.001..    Size of the eddies of each octave [m]
//! @param gain: vec4f = (1, 0.5, 0.25, 0), soft 0..4         Strength of each octave; 0 omits it [m^2/s]
//! @param speed: f32 = 0.1, 0.., soft 0..1, steady phase     Eddies of size L change within about L / speed; a constant [m/s]
//! @param seed: u32 = 0, soft 0..100                         Random seed
//! @param no_slip: bool = false, fixed                       The viscous condition: on the outline and inside, the flow is zero
//! @use shared/hash
//! @use shared/flow_noise
//! @use shared/boundary_ramp

fn stage(position: Vec) -> f32 {
    let distance = shape(position);
    var psi = 0.0;
    for (var octave = 0; octave < 4; octave++) {
        if params.gain[octave] == 0.0 { continue; }
        let scale = params.scale[octave];
        let part = noise(position.xy / scale, octave, turning() / scale);
        var held = ramp(distance / scale);
        if params.no_slip != 0 { held = rise(distance / scale); }
        psi += params.gain[octave] * held * part;
    }
    return psi;
}

// About -1..1 and twice continuously differentiable.
fn noise(point: vec2f, octave: i32, turns: f32) -> f32 {
    let corner = floor(point);
    let t = point - corner;
    let fade = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    var sum = 0.0;
    for (var i = 0; i < 4; i++) {
        let side = vec2f(f32(i & 1), f32(i >> 1u));
        let weight = mix(1.0 - fade, fade, side);
        sum += weight.x * weight.y * dot(t - side, gradient(vec2i(corner + side), octave, turns));
    }
    return sum;
}

// A vector of about unit length for every lattice point; in time it turns.
fn gradient(corner: vec2i, octave: i32, turns: f32) -> vec2f {
    let salt = frame.seed * 7919u + params.seed * 104729u + u32(octave) * 15485863u;
    let chance = vec3f(pcg(vec3u(vec2u(corner), salt)) >> vec3u(8u)) / 16777216.0;
    let x = fract(chance.x + turns * (0.75 + 0.5 * chance.y) + vec2f(0.25, 0.0)) - 0.5;
    return x * (16.0 * abs(x) - 8.0); // a cosine and a sine made of parabolas: cheaper, and it turns as well
}
