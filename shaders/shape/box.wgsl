//! Box
//! Signed distance to a box whose edges may be rounded:  |max(q, 0)| + min(max q, 0) - rounding,
//! q = |x - centre| - (size / 2 - rounding).
//! Source: Hart, Sphere Tracing, The Visual Computer 12, 1996; Quilez, Distance Functions.
//!
//! @out   distance: Field<f32>                                               Signed distance, negative inside [m]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position         Centre [m]
//! @param size: Vec = (0.4, 0.4, 0.4), 0.., soft 0..2, handle box of center  Edge lengths [m]
//! @param rounding: f32 = 0, 0.., soft 0..0.2                                Radius of the edges, at most half the shortest edge [m]

fn stage(position: Vec) -> f32 {
    let half_size = 0.5 * params.size;
    let rounding = min(params.rounding, least(half_size));
    let beyond = abs(position - params.center) - (half_size - rounding);
    return length(max(beyond, Vec())) + min(-least(-beyond), 0.0) - rounding;
}

fn least(v: Vec) -> f32 {
    return min(min(v.x, v.y), v[DIM - 1]);
}
