//! Hue
//! Hue of colours.

// The hue in sixths of a turn from red.
fn hue_of(color: vec3f, value: f32, chroma: f32) -> f32 {
    if chroma == 0.0 { return 0.0; }
    if color.r == value { return (color.g - color.b) / chroma; }
    if color.g == value { return 2.0 + (color.b - color.r) / chroma; }
    return 4.0 + (color.r - color.g) / chroma;
}

// The colour of a hue, in sixths of a turn from red, with saturation and value 1.
fn pure(hue: f32) -> vec3f {
    let away = abs(6.0 * fract((hue + vec3f(0.0, 4.0, 2.0)) / 6.0) - 3.0);
    return clamp(away - 1.0, vec3f(), vec3f(1.0));
}
