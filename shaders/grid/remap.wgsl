//! Remap
//! Applies a curve to a scalar field:  result = scale * curve(t),  t = (value - low) / (high - low), clamped to 0..1.
//! Thresholds, falloffs and soft masks are curves.
//! Keywords: curve, map range, fit, falloff
//! Source: none.
//!
//! @in    field: Grid<f32>                      Any scalar
//! @out   result: Grid<f32>, like field         Result of the curve
//! @param shape: curve = [(0, 0), (1, 1)]       Result as a function of t
//! @param low: f32 = 0, soft -10..10            Value where t = 0
//! @param high: f32 = 1, soft -10..10           Value where t = 1
//! @param scale: f32 = 1, soft -10..10          Factor of the result

fn stage(cell: Cell) -> f32 {
    let span = params.high - params.low;
    return params.scale * shape((field(cell) - params.low) / select(span, 1e-30, span == 0.0));
}
