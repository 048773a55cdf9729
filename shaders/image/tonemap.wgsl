//! Tone Map
//! Maps light of any brightness to 0..1 like film: exposure, then the natural vignetting of a lens,
//! cos^4 of the angle to its axis, then a filmic curve. Input and output are linear; alpha does not change.
//! Keywords: exposure, ACES, AgX, film, HDR, vignette
//! Source: ACES: fit of RRT and sRGB ODT by Hill (Baking Lab, 2016). AgX: Sobotka, fit by Wrensch (iolite engine, 2023).
//!
//! @in    image: Image                              Light
//! @out   result: Image, like image                 The image
//! @param exposure: f32 = 1, 0.., soft 0..4         Brightness before the curve
//! @param curve: i32 = 1, 0..2                      0 clamped at 1, 1 ACES (high contrast), 2 AgX (softer)
//! @param vignette: f32 = 0, 0.., soft 0..1         Tangent of the angle between centre and corner; with 0.5 the corner keeps 64 %

const ACES_IN = mat3x3f(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777);
const ACES_OUT = mat3x3f(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602);
const AGX_IN = mat3x3f(
    0.842479062, 0.042328242, 0.042375655,
    0.078433600, 0.878468636, 0.078433600,
    0.079223745, 0.079166127, 0.879142974,
);
const AGX_OUT = mat3x3f(
    1.196879005, -0.052896852, -0.052971636,
    -0.098020881, 1.151903130, -0.098043450,
    -0.099029744, -0.098961177, 1.151073673,
);
const AGX_DARKEST = -12.47393; // log2 of the light
const AGX_BRIGHTEST = 4.026069;
const BRIGHTEST = 10000.0; // far above white; keeps infinite light from becoming NaN

fn stage(cell: Cell) -> vec4f {
    let color = image(cell);
    let light = color.rgb * params.exposure * lens(position(cell).xy);
    return vec4f(developed(clamp(light, vec3f(), vec3f(BRIGHTEST))), color.a);
}

fn lens(point: vec2f) -> f32 {
    let tangent = params.vignette * length(2.0 * point - SIZE.xy) / length(SIZE.xy);
    let cosine_squared = 1.0 / (1.0 + tangent * tangent);
    return cosine_squared * cosine_squared;
}

fn developed(light: vec3f) -> vec3f {
    switch params.curve {
        case 1 { return clamp(ACES_OUT * aces_curve(ACES_IN * light), vec3f(), vec3f(1.0)); }
        case 2 { return agx(light); }
        default { return min(light, vec3f(1.0)); }
    }
}

fn aces_curve(light: vec3f) -> vec3f {
    return (light * (light + 0.0245786) - 0.000090537) / (light * (0.983729 * light + 0.4329510) + 0.238081);
}

fn agx(light: vec3f) -> vec3f {
    let stops = log2(max(AGX_IN * light, vec3f(1e-10)));
    let x = clamp((stops - AGX_DARKEST) / (AGX_BRIGHTEST - AGX_DARKEST), vec3f(), vec3f(1.0));
    let shown = (((((15.5 * x - 40.14) * x + 31.96) * x - 6.868) * x + 0.4298) * x + 0.1191) * x - 0.00232;
    // The fit is of the encoded picture: back to linear by the display's exponent.
    return pow(clamp(AGX_OUT * shown, vec3f(), vec3f(1.0)), vec3f(2.2));
}
