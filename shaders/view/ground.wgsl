//! Ground
//! Adds a horizontal plane with grid lines to an image, with the soft shadow and contact shadow of a shape.
//! Lines keep their width in metres, and fade to their mean colour where they are thinner than a pixel.
//! Source: Quilez, Filterable Procedurals (box-filtered grid) and Soft Shadows.
//!
//! @in    camera: Camera                                                 Viewpoint of the image
//! @in    shape: Field<f32> = 1e9                                        Signed distance to the objects that cast a shadow [m]
//! @inout image: Image                                                   The image, in linear light
//! @inout depth: Grid<f32> = 3e38                                        Its depth [m]
//! @param height: f32 = 0, soft -2..2                                    Height of the plane [m]
//! @param spacing: f32 = 0.25, 0.001.., soft 0.05..2                     Distance of the lines [m]
//! @param width: f32 = 0.006, 0.., soft 0..0.05                          Width of the lines [m]
//! @param reach: f32 = 6, 0.01.., soft 1..50                             Distance from the camera at which the ground has faded [m]
//! @param light: vec3f = (-0.5, 0.9, 0.5), soft -1..1, handle direction  Direction to the light, of any length
//! @param softness: f32 = 0.15, 0.001..1                                 Width of the shadow's edge, as a fraction of its distance
//! @param ground: color = (0.030, 0.033, 0.042, 1)                       Colour of the ground, lit
//! @param line: color = (0.090, 0.105, 0.140, 1)                         Colour of the lines, lit

fn stage(cell: Cell) -> Result {
    let view = camera();
    let eye = camera_eye(view);
    let ray = camera_ray(view, screen(cell));
    let away = (params.height - eye.y) / select(ray.y, 1e-9, abs(ray.y) < 1e-9);
    let ground_depth = away * dot(ray, view[2].xyz);
    if away <= 0.0 || away > params.reach || ground_depth > depth(cell) { return Result(image(cell), depth(cell)); }
    let place = eye + away * ray;
    // A pixel seen at a slant covers a longer piece of the ground.
    let footprint = 2.0 * away / (camera_scale(view, 1.0) * f32(RESOLUTION.y) * max(abs(ray.y), 0.02));
    let across = lines(place.x, footprint);
    let along = lines(place.z, footprint);
    let lit = mix(params.ground.rgb, params.line.rgb, max(across, along)) * shade(place);
    let there = smoothstep(1.0, 0.3, away / params.reach);
    return Result(vec4f(mix(image(cell).rgb, lit, there), 1.0), min(depth(cell), ground_depth));
}

// Part of the footprint around a place that lines cover.
fn lines(place: f32, footprint: f32) -> f32 {
    let span = max(footprint, 1e-6);
    return clamp((covered(place + 0.5 * span) - covered(place - 0.5 * span)) / span, 0.0, 1.0);
}

// Length of the lines between 0 and x.
fn covered(x: f32) -> f32 {
    let period = x / params.spacing + 0.5;
    let middle = fract(period) * params.spacing - 0.5 * params.spacing;
    return floor(period) * params.width + clamp(middle + 0.5 * params.width, 0.0, params.width);
}

fn shade(place: vec3f) -> f32 {
    let light = normalize(params.light);
    var left = 1.0;
    var reach = 0.01;
    for (var i = 0; i < 48; i++) {
        let distance = shape(place + reach * light);
        left = min(left, distance / (params.softness * reach));
        if left < 0.001 || reach > 2.0 * params.reach { break; }
        reach += clamp(distance, 0.01, 0.5);
    }
    let contact = clamp(shape(place) / 0.15, 0.0, 1.0);
    return (0.25 + 0.75 * smoothstep(0.0, 1.0, left)) * (0.5 + 0.5 * contact);
}
