//! Floor
//! The surroundings of the water: a tiled floor in sunlight, with the shadow of a shape and
//! caustics of the water, that fades into the environment far away.
//! Source: Quilez, Filterable Procedurals (box-filtered joints) and Soft Shadows; Lambert 1760.
//!
//! @in    camera: Camera                                               Viewpoint of the image
//! @in    sky: Field<vec3f>                                            Light by direction, from Environment
//! @in    shape: Field<f32> = 1e9                                      Signed distance to the objects that cast a shadow [m]
//! @in    caustics: Grid<f32> = 1, flat                         Sunlight on the floor by x and z, from Caustics; 1 is full sun
//! @out   image: Image                                                 The image, in linear light
//! @out   depth: Grid<f32>                                             Its depth, 3.4e38 in the sky [m]
//! @param height: f32 = 0, soft -2..2                                  Height of the floor [m]
//! @param low: vec2f = (0, 0), soft -4..4                              Corner of the tiled part, x and z [m]
//! @param high: vec2f = (1, 1), soft -4..4                             The opposite corner [m]
//! @param caustics_low: vec2f = (0, 0), soft -4..4                     Lower corner of the caustics, as in Caustics, x and z [m]
//! @param caustics_size: vec2f = (0, 0), 0.., soft 0..4                Size of the caustics; outside, or if 0, the shape's own shadow is used [m]
//! @param tile: f32 = 0.1, 0.001.., soft 0.02..1                       Distance of the joints [m]
//! @param joint: f32 = 0.006, 0.., soft 0..0.05                        Their width [m]
//! @param tile_color: color = (0.62, 0.78, 0.80, 1)                    Colour of the tiles
//! @param joint_color: color = (0.85, 0.88, 0.88, 1)                   Colour of the joints
//! @param mottle: f32 = 0.25, 0..1                                     Variation of the tiles' brightness
//! @param around: color = (0.55, 0.54, 0.52, 1)                        Colour of the floor around the tiles
//! @param reach: f32 = 12, 0.01.., soft 1..50                          Distance at which it has faded into the environment [m]
//! @param sun: vec3f = (-0.5, 0.9, 0.5), soft -1..1, handle direction  Direction to the sun, of any length
//! @param sunlight: color = (1.5, 1.4, 1.2, 1)                         Sunlight on a horizontal floor
//! @param ambient: color = (0.35, 0.40, 0.46, 1)                       Ambient light
//! @param softness: f32 = 0.12, 0.001..1                               Width of the shadow's edge, as a fraction of its distance

const NOTHING = 3.4e38;

fn stage(cell: Cell) -> Result {
    let view = camera();
    let eye = camera_eye(view);
    let ray = camera_ray(view, screen(cell));
    let away = (params.height - eye.y) / select(ray.y, -1e-9, ray.y > -1e-9);
    if ray.y > -1e-9 || away <= 0.0 || away > 8.0 * params.reach { return Result(vec4f(sky(ray), 1.0), NOTHING); }
    let place = eye + away * ray;
    let footprint = 2.0 * away / (camera_scale(view, 1.0) * f32(RESOLUTION.y) * max(-ray.y, 0.02));
    let fading = smoothstep(0.3, 1.0, away / params.reach);
    let seen = mix(color(place.xz, footprint) * light(place), sky(normalize(vec3f(ray.x, 0.0, ray.z))), fading);
    return Result(vec4f(seen, 1.0), away * dot(ray, view[2].xyz));
}

fn color(place: vec2f, footprint: f32) -> vec3f {
    let outside = max(max(params.low - place, place - params.high), vec2f());
    let tiled = 1.0 - smoothstep(0.0, max(footprint, 1e-6), max(outside.x, outside.y));
    if tiled == 0.0 { return params.around.rgb; }
    let joints = max(covered(place.x - params.low.x, footprint), covered(place.y - params.low.y, footprint));
    let which = vec2i(floor((place - params.low) / params.tile));
    let fine = clamp(params.tile / footprint - 1.0, 0.0, 1.0); // mottling finer than a pixel would flicker
    let shade = 1.0 + fine * params.mottle * (random_at(u32(which.x + 4096 * which.y), 1u) - 0.5);
    return mix(params.around.rgb, mix(params.tile_color.rgb * shade, params.joint_color.rgb, joints), tiled);
}

// Part of a footprint that joints cover.
fn covered(place: f32, footprint: f32) -> f32 {
    let span = max(footprint, 1e-6);
    return clamp((joints_before(place + 0.5 * span) - joints_before(place - 0.5 * span)) / span, 0.0, 1.0);
}

fn joints_before(x: f32) -> f32 {
    let period = x / params.tile + 0.5;
    let middle = fract(period) * params.tile - 0.5 * params.tile;
    return floor(period) * params.joint + clamp(middle + 0.5 * params.joint, 0.0, params.joint);
}

fn light(place: vec3f) -> vec3f {
    let within = (place.xz - params.caustics_low) / max(params.caustics_size, vec2f(1e-6));
    let margin = smoothstep(vec2f(), vec2f(0.05), min(within, 1.0 - within));
    let sunlit = mix(unshaded(place), caustics_at(place.xz - params.caustics_low), margin.x * margin.y);
    let near = 0.6 + 0.4 * clamp(shape(place) / 0.12, 0.0, 1.0);
    return params.sunlight.rgb * sunlit + params.ambient.rgb * near;
}

// Part of the sun that a shape leaves.
fn unshaded(place: vec3f) -> f32 {
    let sun = normalize(params.sun);
    var left = 1.0;
    var reach = 0.01;
    for (var i = 0; i < 32; i++) {
        let distance = shape(place + reach * sun);
        left = min(left, distance / (params.softness * reach));
        if left < 0.001 || reach > 4.0 { break; }
        reach += clamp(distance, 0.01, 0.5);
    }
    return smoothstep(0.0, 1.0, left);
}
