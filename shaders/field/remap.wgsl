//! Remap Field
//! Puts a scalar field of space through a curve:  result = scale * curve(t),  t = (value - low) / (high - low), clamped to 0..1.
//! With a shape's signed distance it is a falloff: low is inside, high is where it ends.
//! Source: none.
//!
//! @in    source: Field<f32>                    Any scalar, for instance the distance to a shape [m]
//! @out   result: Field<f32>                    What the curve makes of it
//! @param shape: curve = [(0, 1), (1, 0)]       Result over t
//! @param low: f32 = 0, soft -10..10            Value with t = 0
//! @param high: f32 = 1, soft -10..10           Value with t = 1
//! @param scale: f32 = 1, soft -10..10          Factor of the result

fn stage(position: Vec) -> f32 {
    let span = params.high - params.low;
    return params.scale * shape((source(position) - params.low) / select(span, 1e-30, span == 0.0));
}
