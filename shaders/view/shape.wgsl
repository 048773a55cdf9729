//! Shape View
//! Shows a signed distance by sphere tracing, with a soft shadow, ambient occlusion and a bright rim.
//! Also gives the depth, so that particles can be hidden behind it. Set the node's `on` to the domain of the image.
//! Source: Hart, Sphere Tracing, 1996; shadow and occlusion: Quilez; highlight: Blinn 1977; rim: Schlick 1994.
//!
//! @in    shape: Field<f32>                                              Signed distance in space [m]
//! @in    camera: Camera                                                 Viewpoint of the image
//! @in    highlight: f32 = 0                                             Strength of a rim of light, such as `over` of Hand in Space
//! @in    lit: Field<f32> = 0                                            The part of the shape that has this rim, as a signed distance; unwired, all of it [m]
//! @out   depth: Grid<f32>                                               Depth along the axis of view, 3.4e38 where there is nothing [m]
//! @out   normal: Grid<vec3f>                                            Outward unit vector, zero where there is nothing
//! @out   image: Image                                                   The image, in linear light
//! @param far: f32 = 50, 0.01.., soft 1..100                             Maximum distance [m]
//! @param surface: color = (0.22, 0.22, 0.24, 1)                         Colour of the surface
//! @param gloss: f32 = 60, 1.., soft 1..200                              Sharpness of the highlight
//! @param light: vec3f = (-0.5, 0.9, 0.5), soft -1..1, handle direction  Direction to the light, of any length
//! @param light_color: color = (1.6, 1.45, 1.25, 1)                      The light, warm
//! @param sky: color = (0.16, 0.22, 0.34, 1)                             Light from above
//! @param bounce: color = (0.05, 0.04, 0.035, 1)                         Light from below
//! @param rim: color = (0.8, 0.62, 0.3, 1)                               Light of that rim
//! @param softness: f32 = 0.1, 0.001..1                                  Width of the shadow's edge, as a fraction of its distance
//! @param low: color = (0.020, 0.022, 0.030, 1)                          Background at the bottom
//! @param high: color = (0.004, 0.005, 0.009, 1)                         Background at the top

const NOTHING = 3.4e38;

fn stage(cell: Cell) -> Result {
    let view = camera();
    let eye = camera_eye(view);
    let ray = camera_ray(view, screen(cell));
    let behind = mix(params.low.rgb, params.high.rgb, smoothstep(-1.0, 1.0, screen(cell).y));
    let pixel_size = 2.0 / (camera_scale(view, 1.0) * f32(RESOLUTION.y));
    var reach = 0.0;
    var closest = 1e9; // in pixels
    var at = 0.0;
    for (var i = 0; i < 160; i++) {
        let distance = shape(eye + reach * ray);
        let pixels = distance / (pixel_size * max(reach, 1e-6));
        if pixels < closest {
            closest = pixels;
            at = reach;
        }
        if closest < 0.05 || reach > params.far { break; }
        reach += distance;
    }
    // Covers a pixel by how near the ray passes, which smooths the outline.
    let cover = clamp(1.0 - closest, 0.0, 1.0);
    if cover <= 0.0 || at > params.far { return Result(NOTHING, vec3f(), vec4f(behind, 1.0)); }
    let place = eye + at * ray;
    let gradient = shape_gradient(place, max(0.5 * pixel_size * at, 1e-4));
    let normal = gradient / max(length(gradient), 1e-20);
    let depth = at * dot(ray, view[2].xyz);
    return Result(select(NOTHING, depth, cover > 0.5), normal, vec4f(mix(behind, shaded(place, normal, ray, pixel_size * at), cover), 1.0));
}

fn shaded(place: vec3f, normal: vec3f, ray: vec3f, pixel: f32) -> vec3f {
    let light = normalize(params.light);
    let facing = max(dot(normal, light), 0.0);
    var direct = vec3f();
    if facing > 0.0 { direct = params.light_color.rgb * light_left(place + 0.01 * normal, light); }
    let ambient = mix(params.bounce.rgb, params.sky.rgb, 0.5 + 0.5 * normal.y) * openness(place, normal);
    let halfway = normalize(light - ray);
    let mirror = 0.04 + 0.96 * pow(1.0 - max(dot(normal, -ray), 0.0), 5.0);
    let shine = mirror * (params.gloss + 8.0) / 25.0 * pow(max(dot(normal, halfway), 0.0), params.gloss) * facing;
    let chosen = select(0.0, highlight(), lit(place) < shape(place) + pixel);
    let rim = chosen * (0.04 + pow(1.0 - max(dot(normal, -ray), 0.0), 3.0));
    return params.surface.rgb * (ambient + direct * facing) + direct * shine + mirror * params.sky.rgb + rim * params.rim.rgb;
}

// Part of the light that reaches a place: how narrowly the way to it passes the shape.
fn light_left(place: vec3f, light: vec3f) -> f32 {
    var left = 1.0;
    var reach = 0.01;
    for (var i = 0; i < 48; i++) {
        let distance = shape(place + reach * light);
        left = min(left, distance / (params.softness * reach));
        if left < 0.001 || reach > params.far { break; }
        reach += clamp(distance, 0.005, 0.5);
    }
    return smoothstep(0.0, 1.0, left);
}

// How freely the surroundings shine on a place: less than its own height above the surface says what stands close by.
fn openness(place: vec3f, normal: vec3f) -> f32 {
    var closed = 0.0;
    for (var i = 1; i <= 5; i++) {
        let height = 0.03 * f32(i);
        closed += max(height - shape(place + height * normal), 0.0) * exp2(-f32(i));
    }
    return clamp(1.0 - 12.0 * closed, 0.0, 1.0);
}
