//! Levels
//! Stretches the range from black to white, bends it, and maps it to another one:  t = clamp((c - black) / (white - black), 0, 1),
//! result = low + (high - low) t^(1 / gamma),  for red, green and blue of linear light. Alpha does not change. low = 1 and high = 0 invert.
//! Keywords: contrast, brightness, gamma, invert, negative, black point, white point
//! Source: none.
//!
//! @in    image: Image                             The image
//! @out   result: Image, like image                The adjusted image
//! @param black: f32 = 0, soft 0..1                Value that becomes `low`
//! @param white: f32 = 1, soft 0..4                Value that becomes `high`
//! @param gamma: f32 = 1, 0.01..100, soft 0.2..5   Above 1 the middle becomes lighter
//! @param low: f32 = 0, soft 0..1                  Result for black
//! @param high: f32 = 1, soft 0..4                 Result for white

fn stage(cell: Cell) -> vec4f {
    let color = image(cell);
    let span = params.white - params.black;
    let t = clamp((color.rgb - params.black) / select(span, 1e-9, span == 0.0), vec3f(), vec3f(1.0));
    let bent = select(pow(t, vec3f(1.0 / params.gamma)), vec3f(), t == vec3f());
    return vec4f(params.low + (params.high - params.low) * bent, color.a);
}
