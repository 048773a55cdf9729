//! Gradient
//! Shows a scalar field in the colours of a custom gradient:  t = (value - low) / (high - low), clamped to 0..1.
//! Values that are not finite are magenta, so that a blow-up is visible. Where the gradient is transparent, so is the image.
//! Keywords: colour ramp, lookup, false colour
//! Source: none.
//!
//! @in    field: Grid<f32>                Any scalar: density, pressure, vorticity
//! @out   image: Image, like field        The image
//! @param ramp: gradient = [(0, "#000000"), (0.35, "#7a1c4b"), (0.7, "#f0813a"), (1, "#fff3c4")]    Colours from low to high
//! @param low: f32 = 0, soft -10..10      Value of the first colour
//! @param high: f32 = 1, soft -10..10     Value of the last colour
//! @use shared/finite

fn stage(cell: Cell) -> vec4f {
    let value = field(cell);
    if !is_finite(value) { return vec4f(1.0, 0.0, 1.0, 1.0); }
    let span = params.high - params.low;
    return ramp((value - params.low) / select(span, 1e-30, span == 0.0));
}
