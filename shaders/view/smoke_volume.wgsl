//! Smoke View (3D)
//! Renders a volume of smoke by ray marching:  L = sum T (1 - exp(-a)) albedo (p light + ambient),
//! T = exp(-sum a),  a = opacity density step.  Set the node's `on` to the domain of the image.
//! Source: Kajiya and Von Herzen, Ray Tracing Volume Densities, SIGGRAPH 1984; p: Henyey and Greenstein 1941; box by slabs:
//! Kay and Kajiya, SIGGRAPH 1986.
//!
//! @in    camera: Camera                               Viewpoint of the image
//! @in    density: Grid<f32> = 0                       Smoke
//! @in    light: Grid<f32> = 1                         Fraction of the light that arrives, for instance from Light Volume
//! @out   image: Image                                 The image, in linear light
//! @param size: vec3f = (1, 1, 1), soft 0..4           Upper corner of the rendered box; the lower one is 0 [m]
//! @param opacity: f32 = 20, 0.., soft 0..60           Extinction by a density of 1 [1/m]
//! @param steps: i32 = 96, 4..400                      Samples along a ray
//! @param to_light: vec3f = (-0.5, 0.9, 0.5), soft -1..1, handle direction  Direction to the light, of any length
//! @param forward: f32 = 0.3, -0.95..0.95              Forward scattering: smoke is bright against the light
//! @param smoke: color = (0.86, 0.84, 0.82, 1)         Colour of the smoke
//! @param sun: color = (2.6, 2.1, 1.6, 1)              Colour of the light
//! @param ambient: color = (0.10, 0.15, 0.24, 1)       Ambient light
//! @param low: color = (0.030, 0.036, 0.050, 1)        Background at the bottom
//! @param high: color = (0.006, 0.008, 0.014, 1)       Background at the top
//! @param transparent: bool = false                    No background: the image has the opacity of the smoke as its alpha

fn stage(cell: Cell) -> vec4f {
    let view = camera();
    let eye = camera_eye(view);
    let ray = camera_ray(view, screen(cell));
    let behind = mix(params.low.rgb, params.high.rgb, smoothstep(-1.0, 1.0, screen(cell).y));
    let per_metre = 1.0 / select(ray, vec3f(1e-20), abs(ray) < vec3f(1e-20));
    let a = -eye * per_metre;
    let b = (params.size - eye) * per_metre;
    let near = min(a, b);
    let far = max(a, b);
    let enters = max(max(max(near.x, near.y), near.z), 0.0);
    let leaves = min(min(far.x, far.y), far.z);
    if leaves <= enters { return vec4f(behind, select(1.0, 0.0, params.transparent != 0)); }

    let step = (leaves - enters) / f32(params.steps);
    // Begun elsewhere in each pixel, steps show as grain and not as bands.
    let start = enters + step * random(cell, 0u);
    let lit = params.sun.rgb * scattered(dot(ray, params.to_light) / max(length(params.to_light), 1e-20));
    var seen = vec3f();
    var through = 1.0;
    for (var i = 0; i < params.steps; i++) {
        let place = eye + (start + f32(i) * step) * ray;
        let left = exp(-params.opacity * max(density_at(place), 0.0) * step);
        if left < 0.9999 {
            seen += through * (1.0 - left) * params.smoke.rgb * (lit * light_at(place) + params.ambient.rgb);
            through *= left;
            if through < 0.003 { break; }
        }
    }
    // Straight alpha.
    if params.transparent != 0 { return vec4f(seen / max(1.0 - through, 1e-6), 1.0 - through); }
    return vec4f(seen + through * behind, 1.0);
}

// Part of the light that goes on in a direction, against the mean of all: `along` is 1 where one looks into the light.
fn scattered(along: f32) -> f32 {
    let g = params.forward;
    return (1.0 - g * g) / pow(max(1.0 + g * g - 2.0 * g * along, 1e-6), 1.5);
}
