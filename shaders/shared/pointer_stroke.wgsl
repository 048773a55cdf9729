//! Pointer stroke
//! The line that the pointer drew during a step.

// Distance to the line that the pointer drew during this step, so that a quick stroke has no gaps.
fn distance_to_stroke(point: Vec) -> f32 {
    let end = in_domain(frame.mouse, 0.5 * SIZE);
    let stroke = in_domain(frame.mouse_velocity, Vec()) * frame.dt;
    let along = dot(end - point, stroke) / max(dot(stroke, stroke), 1e-20);
    return length(end - point - stroke * clamp(along, 0.0, 1.0));
}

// A pair in fractions of the domain as metres; a third component is kept from `rest`.
fn in_domain(pair: vec2f, rest: Vec) -> Vec {
    var metres = rest;
    metres.x = pair.x * SIZE.x;
    metres.y = pair.y * SIZE.y;
    return metres;
}
