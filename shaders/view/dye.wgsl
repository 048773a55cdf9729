//! Dye View
//! Shows a dye as lit ink: a filmic curve keeps dense dye from clipping, and the gradient of the ink gives a wet sheen.
//! The dye covers the background by  1 - exp(-opacity amount),  where amount is its brightest channel.
//! Source: Beer-Lambert law; Blinn, Simulation of Wrinkled Surfaces, SIGGRAPH 1978 (relief).
//!
//! @in    dye: Grid<vec4f>                               Red, green and blue light that the dye reflects
//! @in    halo: Grid<vec4f> = 0                          Light around it, for instance the blurred dye; may be coarser
//! @out   image: Image, like dye                         The image
//! @param exposure: f32 = 1, 0.., soft 0..4              Brightness of the dye
//! @param opacity: f32 = 3, 0.., soft 0..20              How strongly the dye hides the background
//! @param depth: f32 = 0.7, 0..1                         Additional saturation of thin dye
//! @param relief: f32 = 0.6, 0.., soft 0..3              Strength of the wet sheen
//! @param glow: f32 = 0.3, 0.., soft 0..2                Brightness of the halo
//! @param vignette: f32 = 0, 0..1                        How much the image fades to the background towards its border
//! @param background: color = (0.010, 0.011, 0.016, 1)   Background colour

fn stage(cell: Cell) -> vec4f {
    let here = position(cell);
    let ink = max(dye(cell).rgb, vec3f());
    let cover = coverage(cell);
    let normal = normalize(vec3f(-params.relief * (slope(cell, 0.003) + slope(cell, 0.009)), 1.0));
    let facing = dot(normal, normalize(vec3f(-0.5, 0.7, 1.1)));
    let shade = 0.55 + 0.55 * facing;
    let sheen = 0.6 * params.relief * cover * pow(max(facing, 0.0), 20.0) * (1.0 - normal.z);
    let lit = filmic(ink * params.exposure * shade) + sheen;
    let around = params.glow * max(halo_at(here).rgb, vec3f());
    let color = mix(params.background.rgb, lit, cover) + around * (1.0 - 0.6 * cover);
    // A little noise, below what the eye sees, keeps dark slopes from banding in 8 bits.
    let dither = (random(cell, 0) - 0.5) / 512.0 * sqrt(max(color, vec3f()));
    return vec4f(max(mix(params.background.rgb, color, rim(here)) + dither, vec3f()), 1.0);
}

fn coverage(cell: Cell) -> f32 {
    let ink = dye(cell).rgb;
    return 1.0 - exp(-params.opacity * max(max(ink.r, ink.g), max(ink.b, 0.0)));
}

// Compresses by the brightest channel; thin dye deepens in hue and very bright dye pales, as on film.
fn filmic(color: vec3f) -> vec3f {
    let peak = max(max(color.r, color.g), max(color.b, 1e-6));
    let toned = 1.0 - exp(-1.6 * peak);
    let deeper = color / peak;
    let hue = mix(deeper, deeper * deeper, params.depth * (1.0 - toned));
    let pale = 0.35 * smoothstep(1.0, 6.0, peak);
    return mix(hue, vec3f(1.0), pale) * toned;
}

// Rise of the coverage across a distance, given as a fraction of the height, and back.
fn slope(cell: Cell, distance: f32) -> vec2f {
    let cells = max(distance * SIZE.y / CELL_SIZE, 1.0);
    let right = unit(0) * i32(round(cells));
    let up = unit(1) * i32(round(cells));
    let rise = vec2f(coverage(cell + right) - coverage(cell - right), coverage(cell + up) - coverage(cell - up));
    return rise * (distance * SIZE.y / CELL_SIZE / round(cells));
}

// 1 in the middle, less towards the rim, rounder than the picture.
fn rim(point: Vec) -> f32 {
    let from_middle = 2.0 * point.xy / SIZE.xy - 1.0;
    let squared = from_middle * from_middle;
    let far = sqrt(length(squared)); // fourth root of x^4 + y^4
    return 1.0 - params.vignette * smoothstep(0.72, 1.04, far);
}
