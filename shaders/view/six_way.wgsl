//! Six-Way Maps (3D)
//! Images of smoke under white light from each of six sides:  L = sum T (1 - exp(-a)) p,  divided by the opacity. Engines
//! light them in their own scene. For flipbooks. Set the node's `on` to the domain of the image.
//! Keywords: flipbook, 6-way lighting, light map
//! Source: as Smoke View (3D).
//!
//! @in    camera: Camera                               Viewpoint of the image
//! @in    density: Grid<f32> = 0                       Smoke
//! @in    positive: Grid<vec4f> = 1                    Light from the right, the top and the back, of Six-Way Light
//! @in    negative: Grid<vec4f> = 1                    Light from the left, the bottom and the front
//! @out   right_top_back: Image                        What is seen by light from the right, the top and the back, and the opacity
//! @out   left_bottom_front: Image                     The same by light from the left, the bottom and the front
//! @param size: vec3f = (1, 1, 1), soft 0..4           Upper corner of the rendered box; the lower one is 0 [m]
//! @param opacity: f32 = 20, 0.., soft 0..60           Extinction by a density of 1 [1/m]
//! @param steps: i32 = 96, 4..400                      Samples along a ray

fn stage(cell: Cell) -> Result {
    let view = camera();
    let eye = camera_eye(view);
    let ray = camera_ray(view, screen(cell));
    let per_metre = 1.0 / select(ray, vec3f(1e-20), abs(ray) < vec3f(1e-20));
    let a = -eye * per_metre;
    let b = (params.size - eye) * per_metre;
    let near = min(a, b);
    let far = max(a, b);
    let enters = max(max(max(near.x, near.y), near.z), 0.0);
    let leaves = min(min(far.x, far.y), far.z);
    if leaves <= enters { return Result(vec4f(), vec4f()); }

    let step = (leaves - enters) / f32(params.steps);
    var ahead = vec3f();
    var behind = vec3f();
    var through = 1.0;
    for (var i = 0; i < params.steps; i++) {
        let place = eye + (enters + (f32(i) + 0.5) * step) * ray;
        let left = exp(-params.opacity * max(density_at(place), 0.0) * step);
        if left < 0.9999 {
            ahead += through * (1.0 - left) * positive_at(place).rgb;
            behind += through * (1.0 - left) * negative_at(place).rgb;
            through *= left;
            if through < 0.003 { break; }
        }
    }
    let opacity = 1.0 - through;
    let straight = 1.0 / max(opacity, 1e-6);
    return Result(vec4f(ahead * straight, opacity), vec4f(behind * straight, opacity));
}
