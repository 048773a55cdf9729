//! Liquid Shade
//! Shades a vessel with two fluids: the backdrop, shifted against the normals of vessel and drops like in a
//! lens, and coloured by the Beer-Lambert law in either fluid; light that fluid f scatters from three directional
//! lights, with the same absorption, so that thin drops are paler than deep pools; a rim light, and Phong highlights. In linear light.
//! Source: saharan, oil clock article, 2016, step 12 (three lights, Phong, rim, shifted refraction); Phong, CACM 18, 1975; Schlick 1994.
//!
//! @in    lens: Grid<vec2f>                     Share of f, and inflation q in m^2, from Liquid Lens
//! @in    body: Grid<vec4f>                     Normal, distance and depth of the vessel, from Vessel Body
//! @in    studio: Field<vec3f>                  Light that surfaces reflect, by their normal
//! @in    background: Image                     What is behind, in linear light
//! @out   image: Image, like background         The image; its alpha is 1 where the liquid covers all
//! @param rim: f32 = 0.005, 0.0001.., soft 0.001..0.05                        Rim of Liquid Inflate [m]
//! @param film: f32 = 0.0005, 0.0001.., soft 0.0001..0.01                     Thickness at the outline, to limit its slope [m]
//! @param depth: f32 = 0.048, 0.0001.., soft 0.01..0.5                        Half the depth at which the vessel has its full colour [m]
//! @param absorption_f: color = (0.06, 2.1, 7.0, 1)                           Absorption of red, green and blue by a thick layer of f
//! @param absorption_g: color = (1.25, 0.22, 0.20, 1)                         The same for the whole depth of g
//! @param murk: f32 = 0.5, 0..1                                               Fraction of scattered light in f, relative to the backdrop's
//! @param back_light: f32 = 1.4, 0.., soft 0..4                               Light from behind, relative to the backdrop
//! @param light_1: vec3f = (-0.55, 0.65, 0.55), soft -1..1, handle direction  Direction to the first light, of any length
//! @param light_2: vec3f = (0.85, 0.15, 0.45), soft -1..1, handle direction   To the second
//! @param light_3: vec3f = (0.1, -0.9, 0.3), soft -1..1, handle direction     To the third
//! @param color_1: color = (1.7, 1.6, 1.5, 1)                                 Light of the first
//! @param color_2: color = (0.35, 0.42, 0.52, 1)                              Light of the second
//! @param color_3: color = (0.55, 0.40, 0.25, 1)                              Light of the third
//! @param shininess: f32 = 70, 1.., soft 5..500                               Sharpness of highlights
//! @param highlight: f32 = 1.3, 0.., soft 0..8                                Brightness of highlights
//! @param ambient: f32 = 0.12, 0.., soft 0..1                                 Light from everywhere
//! @param edge: f32 = 0.5, 0.., soft 0..2                                     Rim light
//! @param refraction: f32 = 0.014, soft 0..0.05                               Shift of the backdrop by drops [m]
//! @param bulge: f32 = 0.03, soft 0..0.1                                      Shift of the backdrop by the vessel [m]
//! @use shared/plane_vector

fn stage(cell: Cell) -> vec4f {
    let behind = background(cell);
    let glass = body(cell);
    let cover = clamp(0.5 - glass.z / CELL_SIZE, 0.0, 1.0);
    if cover == 0.0 { return behind; }
    let here = lens(cell);
    let right = lens(cell + unit(0)) - lens(cell - unit(0));
    let up = lens(cell + unit(1)) - lens(cell - unit(1));
    let share = 0.5 * vec2f(right.x, up.x);
    let fall = -0.5 * vec2f(right.y, up.y) / CELL_SIZE;
    // Distance to the outline in pixels, from the share and its slope.
    let is_f = clamp((here.x - 0.5) / max(length(share), 1e-4) + 0.5, 0.0, 1.0);
    let depth = clamp(glass.w / params.depth, 0.0, 1.0);
    let of_f = seen_f(cell, glass, surface(max(here.y, 0.0), fall), depth);
    let of_g = seen_g(cell, glass, surface(max(-here.y, 0.0), -fall), depth);
    return mix(behind, vec4f(mix(of_g, of_f, is_f), 1.0), cover);
}

// Normal's x and y, and thickness of a lens as a part of the thickest, where the swelling and its fall are such.
fn surface(swelling: f32, fall: vec2f) -> vec3f {
    let slope = 0.5 * fall / sqrt(swelling + params.film * params.film);
    return vec3f(slope / sqrt(1.0 + dot(slope, slope)), sqrt(swelling) / (2.0 * params.rim));
}

fn seen_f(cell: Cell, glass: vec4f, lens: vec3f, depth: f32) -> vec3f {
    let normal = vec3f(lens.xy, sqrt(max(1.0 - dot(lens.xy, lens.xy), 0.0)));
    let whole = normalize(vec3f(lens.xy + 0.5 * glass.xy, normal.z + 0.15));
    let to_1 = normalize(params.light_1);
    // Light that entered on the lit side has come a longer way where it leaves.
    let way = (0.45 + 0.75 * lens.z) * (0.7 + 0.3 * depth) * (1.15 - 0.55 * dot(whole, to_1));
    let left = exp(-params.absorption_f.rgb * way);
    let through = params.back_light * backdrop(cell, params.bulge * glass.xy * length(glass.xy) + params.refraction * lens.xy);

    let lit = params.ambient + diffuse(params.light_1, params.color_1.rgb, whole)
        + diffuse(params.light_2, params.color_2.rgb, whole) + diffuse(params.light_3, params.color_3.rgb, whole);
    let shine = phong(params.light_1, params.color_1.rgb, normal)
        + phong(params.light_2, params.color_2.rgb, normal) + phong(params.light_3, params.color_3.rgb, normal);
    let fresnel = 0.03 + 0.97 * pow(1.0 - normal.z, 4.0);
    let mirrored = params.edge * fresnel * studio(flat(lens.xy));
    return left * mix(through, lit, params.murk) + params.highlight * shine + mirrored;
}

// Fluid g is clear: its lenses only bend, and shine a little at their rims.
fn seen_g(cell: Cell, glass: vec4f, lens: vec3f, depth: f32) -> vec3f {
    let through = backdrop(cell, params.bulge * glass.xy * length(glass.xy) + 0.3 * params.refraction * lens.xy);
    let steep = dot(lens.xy, lens.xy);
    let left = exp(-params.absorption_g.rgb * (0.25 + 0.75 * depth));
    let normal = vec3f(lens.xy, sqrt(max(1.0 - steep, 0.0)));
    // Dark where it bends most, bright where a drop of it gathers the first light.
    let gathered = max(-dot(lens.xy, normalize(params.light_1.xy)), 0.0);
    return params.back_light * left * through * (1.0 - 0.45 * steep * steep + 0.9 * steep * gathered)
        + 0.2 * params.highlight * steep * phong(params.light_1, params.color_1.rgb, normal)
        + 0.4 * params.edge * pow(1.0 - normal.z, 4.0) * studio(flat(lens.xy));
}

fn backdrop(cell: Cell, shift: vec2f) -> vec3f { return background_at(position(cell) - flat(shift)).rgb; }

// Soft light that reaches round.
fn diffuse(direction: vec3f, color: vec3f, normal: vec3f) -> vec3f {
    let around = 0.5 + 0.5 * dot(normal, normalize(direction));
    return color * around * around;
}

fn phong(direction: vec3f, color: vec3f, normal: vec3f) -> vec3f {
    let to = normalize(direction);
    let facing = dot(normal, to);
    return color * select(0.0, pow(max((2.0 * facing * normal - to).z, 0.0), params.shininess), facing > 0.0);
}
