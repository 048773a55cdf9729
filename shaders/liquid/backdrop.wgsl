//! Studio Backdrop
//! What is behind the clock: a dark paper with a spot of light, soft discs of lights out of focus, whose distortion shows
//! transparent objects in front of them, and a dark table below the horizon. It does not depend on time.
//! Source: none.
//!
//! @out   image: Image                                                  The backdrop, in linear light
//! @param spot: color = (0.34, 0.44, 0.50, 1)                           Colour at the centre of the spot
//! @param room: color = (0.012, 0.016, 0.022, 1)                        Colour far from it
//! @param spot_center: vec2f = (0.5, 0.56), soft 0..1, handle position  Centre of the spot, as a fraction of the image
//! @param spread: f32 = 0.36, 0.01.., soft 0.1..1                       Its width, as a fraction of the image
//! @param lights: i32 = 34, 0..200                                      Number of lights out of focus
//! @param brightness: f32 = 0.16, 0.., soft 0..2                        Their brightness
//! @param warm: color = (1.0, 0.55, 0.22, 1)                            Colour of some of them
//! @param cool: color = (0.35, 0.65, 1.0, 1)                            Colour of the others
//! @param horizon: f32 = 0.0764, 0..1                              Height of the table's far edge, as a fraction of the image
//! @param table: color = (0.020, 0.022, 0.026, 1)                       Colour of the table

fn stage(cell: Cell) -> vec4f {
    let at = position(cell).xy / SIZE.y;
    let away = (at - params.spot_center) / params.spread;
    let fall = 1.0 / (1.0 + dot(away, away));
    var light = mix(params.room.rgb, params.spot.rgb, fall * fall);
    light += bokeh(at) * params.brightness;
    // The table takes over softly, as it is out of focus at its far edge.
    let below = smoothstep(params.horizon + 0.012, params.horizon - 0.012, at.y);
    let sheen = exp(-16.0 * abs(at.y - params.horizon)) * fall;
    light = mix(light, params.table.rgb + 0.25 * params.spot.rgb * sheen, below);
    return vec4f(light, 0.0);
}

fn bokeh(at: vec2f) -> vec3f {
    var sum = vec3f();
    for (var k = 0; k < params.lights; k++) {
        let seed = 7u * u32(k) + 1u;
        let place = vec2f(chance(seed), 0.08 + 0.9 * chance(seed + 1u));
        let radius = mix(0.018, 0.060, chance(seed + 2u));
        let distance = length(at - place) / radius;
        if distance > 1.3 { continue; }
        let disc = smoothstep(1.15, 0.80, distance) * (0.7 + 0.3 * distance * distance);
        let tone = mix(params.warm.rgb, params.cool.rgb, step(0.55, chance(seed + 3u)));
        sum += tone * disc * (0.15 + 0.85 * chance(seed + 4u) * chance(seed + 5u));
    }
    return sum;
}

// Uniform in 0..1, the same for ever: PCG (O'Neill 2014).
fn chance(number: u32) -> f32 {
    let s = number * 747796405u + 2891336453u;
    let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;
    return f32(((w >> 22u) ^ w) >> 8u) / 16777216.0;
}
