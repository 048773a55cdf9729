//! Sphere Thickness
//! Length of each ray inside spheres: the sum of chords  2 sqrt(r^2 - |c - b d|^2).  Blur it to get the thickness of a liquid
//! along the view. Where spheres overlap, common parts count twice; `weight` compensates this.
//! Summed in fixed point with 20 fraction bits, independent of the order: a chord is rounded to 2^-20 m, about a thousandth of a millimetre, and
//! a pixel holds sums up to 2047 m. Spheres over 128 pixels wide are skipped.
//! Source: van der Laan, Green and Sainz, Screen Space Fluid Rendering with Curvature Flow, I3D 2009, section 3.4.
//!
//! @in    particles: Particles{position: Vec, radius: f32, bounds: vec4f}    Spheres, from Sphere Bounds with the same camera
//! @in    camera: Camera                      Viewpoint of the image
//! @in    cover: Grid<f32> = 3e38             Depth of solid objects; what is behind them does not count [m]
//! @out   thickness: Grid<f32>, scatter 20    Sum of the chords along each ray [m]
//! @param weight: f32 = 1, 0.., soft 0..1     Factor: a particle's volume divided by that of its sphere, where they overlap
//! @param near: f32 = 0.01, 0.0001..          Depth of the near plane [m]

const MOST = 128; // pixels along each axis

fn stage(particle: Particle) {
    let view = camera();
    let away = particle.position - camera_eye(view);
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
            let half = sqrt(max(particle.radius * particle.radius - dot(beside, beside), 0.0));
            let forward = dot(ray, view[2].xyz);
            let begin = max(along - half, params.near / forward);
            let end = min(along + half, cover(at) / forward);
            if end > begin { add_thickness(at, params.weight * (end - begin)); }
        }
    }
}
