//! Crop
//! Makes an image transparent outside a rectangle, which is given as fractions of its size. Colours do not change.
//! Keywords: cut, frame, rectangle, mask, trim
//! Source: none.
//!
//! @in    image: Image                                           The image
//! @out   result: Image, like image                              The rectangle
//! @param low: vec2f = (0, 0), soft 0..1, handle position        Its lower left corner
//! @param high: vec2f = (1, 1), soft 0..1, handle corner of low  Its upper right corner
//! @param feather: f32 = 0, 0.., soft 0..0.5                     Width inside its edges over which alpha falls to 0, as a fraction of the image's shorter side

fn stage(cell: Cell) -> vec4f {
    let here = position(cell).xy;
    let inside = min(here - params.low * SIZE.xy, params.high * SIZE.xy - here);
    let depth = min(inside.x, inside.y) / min(SIZE.x, SIZE.y);
    let color = image(cell);
    let share = select(0.0, clamp(depth / max(params.feather, 1e-9), 0.0, 1.0), depth > 0.0);
    return vec4f(color.rgb, color.a * share);
}
