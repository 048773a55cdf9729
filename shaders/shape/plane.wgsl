//! Plane
//! Signed distance to a half-space:  (x - point) . normal.
//! Source: Hart, Sphere Tracing, The Visual Computer 12, 1996.
//!
//! @out   distance: Field<f32>                                          Signed distance, negative behind the plane [m]
//! @param through: Vec = (0, 0, 0), soft -2..2, handle position         A point on the plane [m]
//! @param normal: Vec = (0, 1, 0), soft -1..1, handle plane of through  Direction that it faces, of any length

fn stage(position: Vec) -> f32 {
    return dot(position - params.through, params.normal) / max(length(params.normal), 1e-20);
}
