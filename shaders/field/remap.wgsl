//! Remap Field
//! Applies a curve to a scalar field of space:  result = scale * curve(t),  t = (value - low) / (high - low), clamped to 0..1.
//! With a shape's signed distance it is a falloff from `low` inside to `high` outside.
//! Keywords: curve, map range, fit, falloff
//! Source: none.
//!
//! @in    source: Field<f32>                    Any scalar, for instance the distance to a shape [m]
//! @out   result: Field<f32>                    Result of the curve
//! @param shape: curve = [(0, 1), (1, 0)]       Result as a function of t
//! @param low: f32 = 0, soft -10..10            Value where t = 0
//! @param high: f32 = 1, soft -10..10           Value where t = 1
//! @param scale: f32 = 1, soft -10..10          Factor of the result

fn stage(position: Vec) -> f32 {
    let span = params.high - params.low;
    return params.scale * shape((source(position) - params.low) / select(span, 1e-30, span == 0.0));
}
