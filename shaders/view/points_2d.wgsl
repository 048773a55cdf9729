//! Points (2D)
//! Adds 2D particles as soft points of light; Points Resolve draws the sum over an image of the same extent.
//! A point smaller than a pixel becomes dimmer instead of smaller. Set the node's `on` to the domain of the image.
//! Source: point splatting, Westover, Footprint Evaluation for Volume Rendering, SIGGRAPH 1990.
//!
//! @in    particles: Particles{position: Vec, tone: f32}    Particles in 2D; Tone by Age and others set their tones
//! @out   light: Grid<vec4f>, scatter 14                    Sum of colour times weight, and of weights
//! @param size: f32 = 0.003, 0.., soft 0..0.02              Radius of a point [m]
//! @param brightness: f32 = 0.5, 0.., soft 0..2             Weight at a point's centre
//! @param low: color = (0.15, 0.3, 0.9, 0.6)                Colour of tone 0; alpha is a weight
//! @param middle: color = (0.8, 0.25, 0.45, 1)              Colour of tone 0.5
//! @param high: color = (1, 0.5, 0.15, 1)                   Colour of tone 1
//! @use shared/point_sprites

fn stage(particle: Particle) {
    let center = particle.position.xy / CELL_SIZE;
    let wanted = params.size / CELL_SIZE;
    let radius = clamp(wanted, LEAST_RADIUS, MOST_RADIUS);
    if any(center < vec2f(-radius)) || any(center > vec2f(RESOLUTION.xy) + radius) { return; }
    let color = color(particle.tone);
    let smaller = min(wanted / radius, 1.0);
    let weight = color.a * smaller * smaller * params.brightness;
    let first = vec2i(ceil(center - radius - 0.5));
    let count = vec2i(floor(center + radius - 0.5)) - first + 1;
    for (var i = 0; i < MOST_PIXELS; i++) {
        if i >= count.x * count.y { break; }
        let at = first + vec2i(i % count.x, i / count.x);
        let away = (vec2f(at) + 0.5 - center) / radius;
        let near = max(1.0 - dot(away, away), 0.0);
        let place = unit(0) * at.x + unit(1) * at.y;
        if inside(place) { add_light(place, vec4f(color.rgb, 1.0) * (weight * near * near)); }
    }
}
