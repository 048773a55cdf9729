//! Sphere Depth
//! Draws particles as spheres into a depth image: each visits the pixels of its bounds and intersects their rays exactly,
//! t = b - sqrt(r^2 - |c - b d|^2),  b = c . d;  the nearest wins by an atomic minimum, so the order does not matter.
//! Spheres over 128 pixels wide or high are skipped, which limits the work. Set the node's `on` to the domain of the image.
//! Source: the article's step 5, which looks for the nearest of all particles in every pixel; ray and sphere: Whitted 1980.
//!
//! @in    particles: Particles{position: Vec, radius: f32, bounds: vec4f}    Spheres, from Sphere Bounds with the same camera
//! @in    camera: Camera                     Viewpoint of the image
//! @out   depth: Grid<f32>, scatter min      Depth along the viewing axis, 3.4e38 where there is nothing [m]
//! @param near: f32 = 0.01, 0.0001..         Depth of the near plane [m]

const MOST = 128; // pixels along each axis

fn stage(particle: Particle) {
    let view = camera();
    let away = particle.position - camera_eye(view);
    // Pixels whose centre may lie in the bounds, by a hundredth of a pixel more for rounding.
    let first = max(vec2i(ceil(pixel(particle.bounds.xy) - 0.51)), vec2i());
    let last = min(vec2i(floor(pixel(particle.bounds.zw) - 0.49)), RESOLUTION.xy - 1);
    if any(last < first) || any(last - first >= vec2i(MOST)) { return; }
    for (var y = 0; y < MOST; y++) {
        if first.y + y > last.y { break; }
        for (var x = 0; x < MOST; x++) {
            if first.x + x > last.x { break; }
            let at = first + vec2i(x, y);
            let ray = camera_ray(view, screen(at));
            let along = dot(away, ray);
            let beside = away - along * ray;
            let inside = particle.radius * particle.radius - dot(beside, beside);
            if inside < 0.0 { continue; }
            let seen = (along - sqrt(inside)) * dot(ray, view[2].xyz);
            if seen >= params.near { min_depth(at, seen); }
        }
    }
}
