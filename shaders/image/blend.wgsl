//! Blend
//! Composites an image over another one with a blend mode:  alpha = f + b (1 - f),  colour = ((1 - b) f F + b f B(back, front) + b (1 - f) G) / alpha,  for
//! front and back colours F, G with alphas f, b, where f is multiplied by opacity and mask. Colours are straight, not multiplied by alpha.
//! Modes from `screen` on are defined for colours in 0..1: use them after Tone Map, or on images that are not brighter.
//! Keywords: composite, mix images, add, multiply, screen, overlay, difference, soft light, darken, lighten, dodge, burn, layer
//! Source: W3C, Compositing and Blending Level 1, 2015.
//!
//! @in    front: Image                    The front image
//! @in    back: Image                     The back image
//! @in    mask: Grid<f32> = 1             Where the front shows, 0..1
//! @out   image: Image, like back         The composite
//! @param mode: i32 = 0, 0..14            0 normal, 1 add, 2 subtract (back - front), 3 multiply, 4 divide (back / front), 5 darken, 6 lighten, 7 difference, 8 screen, 9 overlay, 10 hard light, 11 soft light, 12 dodge, 13 burn, 14 exclusion
//! @param opacity: f32 = 1, 0..1          Factor on the alpha of the front

fn stage(cell: Cell) -> vec4f {
    let front = front(cell);
    let back = back(cell);
    let above = front.a * params.opacity * clamp(mask(cell), 0.0, 1.0);
    let alpha = above + back.a * (1.0 - above);
    let mixed = vec3f(blended(back.r, front.r), blended(back.g, front.g), blended(back.b, front.b));
    let sum = above * ((1.0 - back.a) * front.rgb + back.a * mixed) + back.a * (1.0 - above) * back.rgb;
    return vec4f(sum / max(alpha, 1e-20), alpha);
}

// One channel of the blend of back b and front f.
fn blended(b: f32, f: f32) -> f32 {
    switch params.mode {
        case 1 { return b + f; }
        case 2 { return max(b - f, 0.0); }
        case 3 { return b * f; }
        case 4 { return select(b / f, 0.0, f == 0.0); }
        case 5 { return min(b, f); }
        case 6 { return max(b, f); }
        case 7 { return abs(b - f); }
        case 8 { return screen_of(b, f); }
        case 9 { return hard_light(f, b); }
        case 10 { return hard_light(b, f); }
        case 11 { return soft_light(b, f); }
        case 12 { return dodge(b, f); }
        case 13 { return 1.0 - dodge(1.0 - b, 1.0 - f); }
        case 14 { return b + f - 2.0 * b * f; }
        default { return f; }
    }
}

fn screen_of(b: f32, f: f32) -> f32 {
    return b + f - b * f;
}

fn hard_light(b: f32, f: f32) -> f32 {
    if f <= 0.5 { return 2.0 * f * b; }
    return screen_of(b, 2.0 * f - 1.0);
}

fn soft_light(b: f32, f: f32) -> f32 {
    if f <= 0.5 { return b - (1.0 - 2.0 * f) * b * (1.0 - b); }
    var d = sqrt(max(b, 0.0));
    if b <= 0.25 { d = ((16.0 * b - 12.0) * b + 4.0) * b; }
    return b + (2.0 * f - 1.0) * (d - b);
}

fn dodge(b: f32, f: f32) -> f32 {
    if b <= 0.0 { return 0.0; }
    if f >= 1.0 { return 1.0; }
    return min(b / (1.0 - f), 1.0);
}
