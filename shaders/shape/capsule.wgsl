//! Capsule
//! Signed distance to a segment with a thickness:  |x - closest point of the segment| - radius.
//! Source: Hart, Sphere Tracing, The Visual Computer 12, 1996.
//!
//! @out   distance: Field<f32>                                       Signed distance, negative inside [m]
//! @param start: Vec = (0.3, 0.5, 0.5), soft -2..2, handle position  One end [m]
//! @param end: Vec = (0.7, 0.5, 0.5), soft -2..2, handle position    The other end [m]
//! @param radius: f32 = 0.1, 0.., soft 0..1, handle radius of start  Radius [m]

fn stage(position: Vec) -> f32 {
    let along = params.end - params.start;
    let away = position - params.start;
    let closest = clamp(dot(away, along) / max(dot(along, along), 1e-20), 0.0, 1.0);
    return length(away - closest * along) - params.radius;
}
