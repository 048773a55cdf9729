//! Sphere
//! Signed distance to a sphere, in 2D to a disc:  |x - centre| - radius.
//! Source: Hart, Sphere Tracing, The Visual Computer 12, 1996.
//!
//! @out   distance: Field<f32>                                        Signed distance, negative inside [m]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position  Centre [m]
//! @param radius: f32 = 0.2, 0.., soft 0..1, handle radius of center  Radius [m]

fn stage(position: Vec) -> f32 {
    return length(position - params.center) - params.radius;
}
