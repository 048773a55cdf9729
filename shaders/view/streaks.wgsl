//! Streaks
//! Draws drops in space as they look during an exposure: a drop of radius r that moves with v is a capsule of that radius along its way,
//! v exposure, in perspective. Its opacity is that of the way's share that covers a pixel, so a fast drop is longer and fainter.
//! What is behind `front` or `solid` is hidden. Coverages add up; Streaks Over puts them over an image. Set the node's `on` to the domain of the image.
//! Source: Cook, Porter and Carpenter, Distributed Ray Tracing, SIGGRAPH 1984 (motion blur); distance to a segment.
//!
//! @in    particles: Particles{position: Vec, velocity: Vec, radius: f32, age: f32}    Drops in 3D
//! @in    camera: Camera                      Viewpoint of the image
//! @in    front: Grid<f32> = 3e38             Depth of what hides them, such as the water [m]
//! @in    solid: Grid<f32> = 3e38             Depth of what hides them, such as solid objects [m]
//! @out   cover: Grid<f32>, scatter 16        Sum of the opacities
//! @param exposure: f32 = 0.02, 0.., soft 0..0.1     Time of exposure [s]
//! @param life: f32 = 0.4, 0.001.., soft 0..2        Age at which a drop has shrunk to nothing [s]

const NEAR = 0.01;
const MOST = 64; // pixels along each axis

fn stage(particle: Particle) {
    let view = camera();
    let way = 0.5 * params.exposure * particle.velocity;
    let head = camera_project(view, particle.position + way);
    let tail = camera_project(view, particle.position - way);
    if min(head.z, tail.z) < NEAR { return; }
    let a = pixel(tail.xy);
    let b = pixel(head.xy);
    let depth = 0.5 * (head.z + tail.z);
    let size = particle.radius * (1.0 - clamp(particle.age / params.life, 0.0, 1.0));
    let wanted = size * camera_scale(view, depth) * 0.5 * f32(RESOLUTION.y);
    let radius = max(wanted, 0.6);
    let along = b - a;
    // The disc of a smaller drop than a pixel, and that of a drop whose exposure is spread over its way.
    let smaller = min(wanted / radius, 1.0);
    let strength = smaller * smaller * 3.1415927 * radius / (3.1415927 * radius + 2.0 * length(along));
    let first = max(vec2i(ceil(min(a, b) - radius - 1.0)), vec2i());
    let last = min(vec2i(floor(max(a, b) + radius)), RESOLUTION.xy - 1);
    if strength < 1e-4 || any(last < first) || any(last - first >= vec2i(MOST)) { return; }
    for (var y = 0; y < MOST; y++) {
        if first.y + y > last.y { break; }
        for (var x = 0; x < MOST; x++) {
            let at = first + vec2i(x, y);
            if at.x > last.x { break; }
            if depth >= min(front(at), solid(at)) { continue; }
            let here = vec2f(at) + 0.5 - a;
            let nearest = clamp(dot(here, along) / max(dot(along, along), 1e-12), 0.0, 1.0);
            let beside = length(here - nearest * along);
            let covered = clamp(radius - beside + 0.5, 0.0, 1.0);
            if covered > 0.0 { add_cover(at, covered * strength); }
        }
    }
}
