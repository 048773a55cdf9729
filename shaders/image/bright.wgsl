//! Bright Parts
//! The parts of an image that are brighter than a threshold, by their brightest channel p, to blur and add as glow:
//! colour (p - threshold) / p,  eased in over  threshold - knee .. threshold + knee  to avoid flicker.
//! Source: quadratic knee as in KinoBloom, Takahashi 2015.
//!
//! @in    image: Image                                 Light
//! @out   result: Image, like image                    Its bright parts
//! @param threshold: f32 = 1, 0.., soft 0..4           Brightness from which a colour glows
//! @param knee: f32 = 0.5, 0.., soft 0..1              Half width of the transition

fn stage(cell: Cell) -> vec4f {
    let color = max(image(cell), vec4f());
    let peak = max(max(color.r, color.g), max(color.b, 1e-6));
    let excess = peak - params.threshold;
    let eased = clamp(excess + params.knee, 0.0, 2.0 * params.knee);
    let kept = max(excess, eased * eased / max(4.0 * params.knee, 1e-6));
    return vec4f(color.rgb * (kept / peak), color.a);
}
