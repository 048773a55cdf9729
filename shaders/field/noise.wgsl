//! Noise
//! Fractal noise within the amplitude around `mean`:  sum_i r^i n(2^i x / scale) / sum_i r^i,  for roughness r and lacunarity 2. The noise n of an
//! octave is the interpolation of random values at the points of a lattice, or of random slopes there, and twice continuously differentiable.
//! In one unit of `evolution` all of it changes and returns, so it loops. With `period` it tiles as well.
//! Keywords: Perlin noise, gradient noise, value noise, fBm, fractal, turbulence, ridged, clouds, random, procedural texture
//! Source: Perlin, Improving Noise, SIGGRAPH 2002; Perlin and Neyret, Flow Noise, 2001; Musgrave in Ebert et al., Texturing and Modeling, 2003.
//!
//! @out   noise: Field<f32>                               The noise
//! @param kind: i32 = 1, 0..1, fixed                      0 value noise, 1 gradient noise (Perlin)
//! @param fractal: i32 = 0, 0..2                          0 fBm, 1 billows (turbulence), 2 ridges
//! @param scale: f32 = 0.25, 0.0001.., soft 0.02..1       Size of the largest features [m]
//! @param octaves: i32 = 4, 1..12, soft 1..8              Number of noises that are added
//! @param lacunarity: f32 = 2, 1.., soft 1..4             Ratio of the sizes of one octave and the next
//! @param roughness: f32 = 0.5, 0.., soft 0..1            Ratio of the amplitudes of an octave and the one before
//! @param amplitude: f32 = 1, soft 0..4                   Largest distance from the mean
//! @param mean: f32 = 0, soft -1..1                       Middle of its range, which is the mean of fBm
//! @param evolution: f32 = 0, soft 0..1                   Phase of its change: an expression of time animates it [turns]
//! @param offset: Vec = (0, 0, 0), soft -2..2             Shifts the noise [m]
//! @param period: Vec = (0, 0, 0), 0.., soft 0..16        Features after which it repeats along each axis, in whole numbers; 0 not at all. Rounds the lacunarity
//! @param seed: u32 = 0, soft 0..100                      Random seed
//! @param channel: u32 = 0, soft 0..8                     Selects one of many independent noises of the same seed
//! @use shared/space
//! @use shared/hash

fn stage(position: Vec) -> f32 {
    let period = round(in_space(params.period));
    let tiles = any(period > vec3f());
    let lacunarity = select(params.lacunarity, round(params.lacunarity), tiles);
    let place = in_space(position - params.offset) / params.scale;
    var sum = 0.0;
    var total = 0.0;
    var weight = 1.0;
    var frequency = 1.0;
    for (var octave = 0; octave < params.octaves; octave++) {
        // Shifted, so that the points of one lattice, where a noise of slopes is 0, are not those of all. Its hash is its own.
        let shift = f32(octave) * vec3f(0.8191725, 0.6710436, 0.5497005);
        let salt = vec3u(u32(random_at(params.seed, params.channel * 16u + u32(octave)) * 16777216.0), 0u, 0u);
        sum += weight * folded(noise(place * frequency + in_space(Vec(1.0)) * shift, period * frequency, salt));
        total += weight;
        weight *= params.roughness;
        frequency *= lacunarity;
    }
    return params.mean + params.amplitude * sum / total;
}

fn folded(noise: f32) -> f32 {
    switch params.fractal {
        case 0 { return noise; }
        case 1 { return 2.0 * abs(noise) - 1.0; }
        default { return 1.0 - 2.0 * abs(noise); }
    }
}

// One octave, in -1..1. A point of the plane has z = 0, where only the four corners with z = 0 count.
fn noise(point: vec3f, period: vec3f, salt: vec3u) -> f32 {
    let lowest = floor(point);
    let t = point - lowest;
    let fade = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    var sum = 0.0;
    for (var i = 0; i < CORNERS; i++) {
        let side = vec3f(f32(i & 1), f32((i >> 1u) & 1), f32(i >> 2u));
        let weight = mix(1.0 - fade, fade, side);
        let corner = lowest + side;
        // Half a lattice cell keeps a whole number of periods from being rounded down.
        let turns = floor((corner + 0.5) / max(period, vec3f(1.0)));
        let hash = pcg(vec3u(vec3i(select(corner, corner - turns * period, period > vec3f()))) + salt);
        sum += weight.x * weight.y * weight.z * at_corner(t - side, vec3f(hash >> vec3u(8u)) / 16777216.0);
    }
    return sum;
}

// What a corner gives to a point: a value in -1..1, or a unit slope times the distance, scaled by 2 / sqrt(DIM) to the same range.
// Uniform for every evolution.
fn at_corner(away: vec3f, chance: vec3f) -> f32 {
    if params.kind == 0 { return 4.0 * abs(fract(chance.x + params.evolution) - 0.5) - 1.0; }
    let turn = circle(chance.x + params.evolution);
    if DIM == 2 { return 1.41421356 * dot(away.xy, turn); }
    // A circle around a random axis: its plane contains `level`, and `steep` across it.
    let around = circle(chance.y);
    let z = 2.0 * chance.z - 1.0;
    let level = vec3f(-around.y, around.x, 0.0);
    let steep = vec3f(-z * around, sqrt(1.0 - z * z));
    return 1.15470054 * dot(away, turn.x * level + turn.y * steep);
}

// Cosine and sine of an angle in turns, to 1e-7: those of a GPU may be off by 5e-4.
fn circle(turns: f32) -> vec2f {
    let angle = 6.28318531 * (abs(fract(vec2f(turns, turns - 0.25)) - 0.5) - 0.25);
    let a = angle * angle;
    return angle * (1.0 - a / 6.0 * (1.0 - a / 20.0 * (1.0 - a / 42.0 * (1.0 - a / 72.0 * (1.0 - a / 110.0)))));
}
