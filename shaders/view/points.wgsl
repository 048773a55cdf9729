//! Points
//! Adds particles as soft points of light; Points Resolve draws the sum over an image. A point shrinks with distance and,
//! once smaller than a pixel, becomes dimmer instead. Set the node's `on` to the domain of the image.
//! Source: point splatting, Westover, Footprint Evaluation for Volume Rendering, SIGGRAPH 1990.
//!
//! @in    particles: Particles{position: Vec, tone: f32}    Particles in 3D; Tone by Age and others set their tones
//! @in    camera: Camera                                    Viewpoint of the image
//! @in    depth: Grid<f32> = 3e38                           Depth of objects that hide the points [m]
//! @in    shade: Grid<f32> = 1                              Light that reaches a position, 0..1, from Light Volume
//! @out   light: Grid<vec4f>, scatter 14                    Sum of colour times weight, and of weights
//! @param size: f32 = 0.01, 0.., soft 0..0.1                Radius of a point [m]
//! @param brightness: f32 = 0.5, 0.., soft 0..2             Weight at a point's centre
//! @param ambient: f32 = 0.25, 0..1                         Brightness without light
//! @param haze: f32 = 0, 0.., soft 0..1                     Attenuation of points with depth [1/m]
//! @param low: color = (1, 0.5, 0.15, 1)                    Colour of tone 0; alpha is a weight
//! @param middle: color = (0.8, 0.25, 0.45, 1)              Colour of tone 0.5
//! @param high: color = (0.15, 0.3, 0.9, 0.3)               Colour of tone 1
//! @use shared/point_sprites

const NEAR = 0.01;

fn stage(particle: Particle) {
    let view = camera();
    let seen = camera_project(view, particle.position);
    if seen.z < NEAR { return; }
    let center = pixel(seen.xy);
    let wanted = params.size * camera_scale(view, seen.z) * 0.5 * f32(RESOLUTION.y);
    let radius = clamp(wanted, LEAST_RADIUS, MOST_RADIUS);
    if any(center < vec2f(-radius)) || any(center > vec2f(RESOLUTION.xy) + radius) { return; }
    let color = color(particle.tone);
    let smaller = min(wanted / radius, 1.0);
    let weight = color.a * smaller * smaller * params.brightness * exp(-params.haze * seen.z);
    let lit = color.rgb * mix(params.ambient, 1.0, shade_at(particle.position));
    let first = vec2i(ceil(center - radius - 0.5));
    let count = vec2i(floor(center + radius - 0.5)) - first + 1;
    for (var i = 0; i < MOST_PIXELS; i++) {
        if i >= count.x * count.y { break; }
        let at = first + vec2i(i % count.x, i / count.x);
        if !inside(at) { continue; }
        let away = (vec2f(at) + 0.5 - center) / radius;
        let near = max(1.0 - dot(away, away), 0.0);
        let in_front = clamp((depth(at) - seen.z) / max(params.size, 1e-6) + 0.5, 0.0, 1.0);
        add_light(at, vec4f(lit, 1.0) * (weight * near * near * in_front));
    }
}
