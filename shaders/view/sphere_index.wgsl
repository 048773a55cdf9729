//! Sphere Index
//! The visible particle in each pixel of Sphere Depth: the one with the smallest depth. A driver may round the same
//! formula differently in another stage, mostly at a sphere's silhouette, where the root amplifies it; so depths within 1e-4
//! count as equal, and of several such particles the first one is used. The result is reproducible.
//! Source: none, the second pass of a visibility buffer by atomics.
//!
//! @in    particles: Particles{position: Vec, radius: f32, bounds: vec4f}    The same spheres
//! @in    camera: Camera                      The same camera
//! @in    depth: Grid<f32>                    Result of Sphere Depth [m]
//! @out   index: Grid<u32>, scatter min       Index of the particle in the set, 4294967295 where there is nothing

const MOST = 128; // pixels along each axis, as in Sphere Depth
const SLACK = 1e-4; // relative; a quarter of a millimetre at 2.5 m

fn stage(particle: Particle) {
    let view = camera();
    let away = particle.position - camera_eye(view);
    let first = max(vec2i(ceil(pixel(particle.bounds.xy) - 0.51)), vec2i());
    let last = min(vec2i(floor(pixel(particle.bounds.zw) - 0.49)), RESOLUTION.xy - 1);
    if any(last < first) || any(last - first >= vec2i(MOST)) { return; }
    let square = particle.radius * particle.radius;
    for (var y = 0; y < MOST; y++) {
        if first.y + y > last.y { break; }
        for (var x = 0; x < MOST; x++) {
            if first.x + x > last.x { break; }
            let at = first + vec2i(x, y);
            let ray = camera_ray(view, screen(at));
            let along = dot(away, ray);
            let beside = away - along * ray;
            let inside = square - dot(beside, beside);
            if inside < -1e-3 * square { continue; }
            let seen = (along - sqrt(max(inside, 0.0))) * dot(ray, view[2].xyz);
            if abs(seen - depth(at)) <= SLACK * seen { min_index(at, particle.index); }
        }
    }
}
