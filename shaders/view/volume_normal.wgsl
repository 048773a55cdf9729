//! Volume Normal (3D)
//! Normals of a volume of smoke as it is seen: the gradient of the density, outwards, in the axes of the camera, weighted along each ray by
//! what is seen,  n = -sum T (1 - exp(-a)) grad(density) / |..|.  For the normals of flipbooks. Set the node's `on` to the domain of the image.
//! Keywords: flipbook, normal map
//! Source: as Smoke View (3D); Levoy, Display of Surfaces from Volume Data, 1988.
//!
//! @in    camera: Camera                               Viewpoint of the image
//! @in    density: Grid<f32> = 0                       Smoke
//! @out   normal: Grid<vec3f>                          Unit vector: x right, y up, z towards the viewer; 0 where nothing is seen
//! @param size: vec3f = (1, 1, 1), soft 0..4           Upper corner of the rendered box; the lower one is 0 [m]
//! @param opacity: f32 = 20, 0.., soft 0..60           Extinction by a density of 1 [1/m]
//! @param steps: i32 = 96, 4..400                      Samples along a ray
//! @param width: f32 = 0.02, 0.0001.., soft 0.001..0.1  Distance over which the gradient is taken [m]

fn stage(cell: Cell) -> vec3f {
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
    if leaves <= enters { return vec3f(); }

    let step = (leaves - enters) / f32(params.steps);
    let right = params.width * view[0].xyz;
    let up = params.width * view[1].xyz;
    let towards = -params.width * view[2].xyz;
    var sum = vec3f();
    var through = 1.0;
    for (var i = 0; i < params.steps; i++) {
        let place = eye + (enters + (f32(i) + 0.5) * step) * ray;
        let left = exp(-params.opacity * max(density_at(place), 0.0) * step);
        let weight = through * (1.0 - left);
        if weight > 1e-4 {
            sum += weight * vec3f(rise(place, right), rise(place, up), rise(place, towards));
            through *= left;
            if through < 0.003 { break; }
        }
    }
    let size = length(sum);
    return select(vec3f(), -sum / max(size, 1e-20), size > 1e-12);
}

// Difference of the density across a place.
fn rise(place: vec3f, step: vec3f) -> f32 {
    return density_at(place + 0.5 * step) - density_at(place - 0.5 * step);
}
