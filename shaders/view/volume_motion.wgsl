//! Volume Motion (3D)
//! How fast a volume of smoke moves in its image: the mean velocity along each ray, as the camera projects it, weighted by what is seen,
//! v = sum T (1 - exp(-a)) w / sum T (1 - exp(-a)),  with the density, opacity and steps of Smoke View. For the motion vectors of flipbooks.
//! The camera has to stand still. Set the node's `on` to the domain of the image.
//! Keywords: flipbook, motion vectors, velocity pass
//! Source: as Smoke View (3D); the derivative of the pinhole projection.
//!
//! @in    camera: Camera                               Viewpoint of the image
//! @in    density: Grid<f32> = 0                       Smoke
//! @in    velocity: Grid<Vec> = 0                      Flow that carries it [m/s]
//! @out   motion: Grid<vec2f>                          Velocity in the plane of the image's domain [m/s]
//! @param size: vec3f = (1, 1, 1), soft 0..4           Upper corner of the rendered box; the lower one is 0 [m]
//! @param opacity: f32 = 20, 0.., soft 0..60           Extinction by a density of 1 [1/m]
//! @param steps: i32 = 96, 4..400                      Samples along a ray

const NEAR = 1e-3;

fn stage(cell: Cell) -> vec2f {
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
    if leaves <= enters { return vec2f(); }

    let step = (leaves - enters) / f32(params.steps);
    var sum = vec2f();
    var weights = 0.0;
    var through = 1.0;
    for (var i = 0; i < params.steps; i++) {
        let place = eye + (enters + (f32(i) + 0.5) * step) * ray;
        let left = exp(-params.opacity * max(density_at(place), 0.0) * step);
        let weight = through * (1.0 - left);
        if weight > 1e-6 {
            var flow = vec3f();
            if velocity_wired { flow = velocity_at(place); }
            sum += weight * projected(view, place, flow);
            weights += weight;
            through *= left;
            if through < 0.003 { break; }
        }
    }
    // An image point runs from -1 to 1 over the height.
    return 0.5 * SIZE.y * sum / max(weights, 1e-20);
}

// Velocity of the image point of a moving position [1/s].
fn projected(view: mat4x4f, place: vec3f, velocity: vec3f) -> vec2f {
    let seen = camera_project(view, place);
    let depth = max(seen.z, NEAR);
    let across = vec2f(dot(view[0].xyz, velocity), dot(view[1].xyz, velocity));
    return camera_scale(view, depth) * across - seen.xy * dot(view[2].xyz, velocity) / depth;
}
