//! Carried Shape
//! Brings a shape that is made around the origin to a place that a stage computes:  d(x) = shape(x - center).  In 2D the third component is ignored.
//! Source: none, a shift.
//! Keywords: translate, follow, attach
//!
//! @in    shape: Field<f32>          Signed distance, of a shape around the origin [m]
//! @in    center: vec3f              Where the origin of the shape is brought, such as from Grabbed Body [m]
//! @out   distance: Field<f32>       Signed distance there [m]

fn stage(position: Vec) -> f32 {
    var local = position;
    local.x -= center().x;
    local.y -= center().y;
    if DIM == 3 { local[DIM - 1] -= center().z; }
    return shape(local);
}
