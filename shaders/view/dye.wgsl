//! Dye View
//! Shows a dye as ink in light: a filmic curve keeps dense dye from burning out, the slope of the ink gives a wet sheen.
//! Over the background the dye covers  1 - exp(-opacity amount),  where amount is its brightest channel.
//! Source: Beer-Lambert law; Blinn, Simulation of Wrinkled Surfaces, SIGGRAPH 1978 (relief).
//!
//! @in    dye: Grid<vec4f>                               Amount of red, green and blue light that the dye gives back
//! @out   image: Image, like dye                         The picture
//! @param exposure: f32 = 1, 0.., soft 0..4              Brightness of the dye
//! @param opacity: f32 = 3, 0.., soft 0..20              How soon the dye hides the background
//! @param relief: f32 = 0.6, 0.., soft 0..3              Strength of the wet sheen
//! @param background: color = (0.010, 0.011, 0.016, 1)   Behind the dye

fn stage(cell: Cell) -> vec4f {
    let here = position(cell);
    let ink = max(dye_at(here).rgb, vec3f());
    let cover = coverage(here);
    let normal = normalize(vec3f(-params.relief * (slope(here, 0.003) + slope(here, 0.009)), 1.0));
    let facing = dot(normal, normalize(vec3f(-0.5, 0.7, 1.1)));
    let shade = 0.55 + 0.55 * facing;
    let sheen = 0.6 * params.relief * cover * pow(max(facing, 0.0), 20.0) * (1.0 - normal.z);
    let lit = filmic(ink * params.exposure * shade) + sheen;
    let color = mix(params.background.rgb, lit, cover);
    return vec4f(max(color, vec3f()), 1.0);
}

fn coverage(point: Vec) -> f32 {
    let ink = dye_at(point).rgb;
    return 1.0 - exp(-params.opacity * max(max(ink.r, ink.g), max(ink.b, 0.0)));
}

// Compresses by the brightest channel, so that hues hold, and lets very bright dye pale a little, as film does.
fn filmic(color: vec3f) -> vec3f {
    let peak = max(max(color.r, color.g), max(color.b, 1e-6));
    let toned = 1.0 - exp(-1.6 * peak);
    let pale = 0.35 * smoothstep(1.0, 6.0, peak);
    return mix(color / peak, vec3f(1.0), pale) * toned;
}

// Rise of the coverage across a small distance, given as a fraction of the height.
fn slope(point: Vec, distance: f32) -> vec2f {
    let step = distance * SIZE.y;
    let right = Vec(unit(0)) * step;
    let up = Vec(unit(1)) * step;
    return vec2f(coverage(point + right) - coverage(point - right), coverage(point + up) - coverage(point - up));
}
