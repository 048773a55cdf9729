//! Smoke View
//! Draws a density field as a lit sheet of smoke over a dark background:  coverage = 1 - exp(-opacity q^2 / (q + haze)),
//! with relief from the gradient of the coverage, and a soft shadow from the density towards the light (Beer-Lambert).
//! Source: Beer-Lambert law; shadow march after Fedkiw, Stam and Jensen 2001, section 5; relief after Blinn, SIGGRAPH 1978.
//!
//! @in    density: Grid<f32>                                  Smoke [kg/m^3]
//! @in    tint: Grid<vec4f> = 1                               Varying colour of the smoke, for instance a dye
//! @out   image: Image, like density                          The image
//! @param opacity: f32 = 3, 0.., soft 0..20                   How strongly the smoke hides what is behind it [m^3/kg]
//! @param haze: f32 = 0.15, 0.., soft 0..1                    Density below which smoke is a thin veil [kg/m^3]
//! @param relief: f32 = 1, 0.., soft 0..4                     Depth of the folds
//! @param shadow: f32 = 1.5, 0.., soft 0..5                   Darkness of the smoke's own shadow
//! @param light_angle: f32 = 120, soft -180..180              Direction of the light: 0 from the right, 90 from above [degrees]
//! @param smoke: color = (0.82, 0.80, 0.78, 1)                Colour of the smoke
//! @param light: color = (1.90, 1.40, 0.92, 1)                Colour of the light
//! @param ambient: color = (0.07, 0.13, 0.26, 1)              Ambient light, which fills the shadows
//! @param background_low: color = (0.014, 0.024, 0.048, 1)    Background at the bottom
//! @param background_high: color = (0.003, 0.004, 0.010, 1)   Background at the top
//! @param transparent: bool = false                           No background: the image has the coverage of the smoke as its alpha

const SHADOW_STEPS = 12;
const SHADOW_REACH = 0.22; // of the domain's height
const DEGREE = 0.017453293;

fn stage(cell: Cell) -> vec4f {
    let here = position(cell);
    let angle = params.light_angle * DEGREE;
    let towards_light = vec2f(cos(angle), sin(angle));
    let cover = coverage(here);

    let normal = normalize(vec3f(-params.relief * (slope(here, 0.004) + slope(here, 0.013)), 1.0));
    let facing = max(dot(normal, normalize(vec3f(towards_light, 0.75))), 0.0);
    // Thin smoke lets light through to the eye, thick smoke scatters it away.
    let glow = 1.0 + 0.6 * cover * (1.0 - cover);
    let direct = params.light.rgb * (0.25 + 0.95 * facing * facing) * light_left(here, towards_light) * glow;
    let lit = params.smoke.rgb * tint_at(here).rgb * (direct + params.ambient.rgb * (0.6 + 0.4 * normal.y));

    let color = select(mix(background(here), lit, cover), lit, params.transparent != 0);
    let dither = (random(cell, 0) - 0.5) / 1024.0;
    return vec4f(max(color + dither * sqrt(color), vec3f()), select(1.0, cover, params.transparent != 0));
}

fn coverage(point: Vec) -> f32 {
    let density = max(density_at(point), 0.0);
    let veiled = density * density / (density + params.haze + 1e-6);
    return 1.0 - exp(-params.opacity * veiled);
}

// Rise of the coverage across a small distance, given as a fraction of the height.
fn slope(point: Vec, distance: f32) -> vec2f {
    let right = moved(Vec(), vec2f(distance * SIZE.y, 0.0));
    let up = moved(Vec(), vec2f(0.0, distance * SIZE.y));
    return vec2f(coverage(point + right) - coverage(point - right), coverage(point + up) - coverage(point - up));
}

// Light that reaches a point through the smoke between it and the light.
fn light_left(point: Vec, towards_light: vec2f) -> f32 {
    var depth = 0.0;
    for (var i = 0; i < SHADOW_STEPS; i++) {
        let t = (f32(i) + 1.0) / f32(SHADOW_STEPS);
        let sample_point = moved(point, towards_light * (t * t * SHADOW_REACH * SIZE.y));
        depth += t * coverage(sample_point);
    }
    return exp(-params.shadow * depth * 3.0 / f32(SHADOW_STEPS));
}

fn background(point: Vec) -> vec3f {
    let place = point.xy / SIZE.xy;
    let vignette = 1.0 - 0.45 * dot(place - 0.5, place - 0.5);
    return mix(params.background_low.rgb, params.background_high.rgb, smoothstep(0.0, 1.0, place.y)) * vignette;
}

fn moved(point: Vec, step: vec2f) -> Vec {
    var result = point;
    result.x += step.x;
    result.y += step.y;
    return result;
}
