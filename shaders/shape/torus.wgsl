//! Torus
//! Signed distance to a ring:  |(r - radius, y)| - thickness,  with r the distance from the axis and y the height along it.
//! In a 2D domain it is the section with the plane z = 0.
//! Source: Hart, Sphere Tracing, The Visual Computer 12, 1996.
//!
//! @out   distance: Field<f32>                                             Signed distance, negative inside [m]
//! @param center: vec3f = (0.5, 0.5, 0.5), soft -2..2, handle position     Centre [m]
//! @param axis: vec3f = (0, 1, 0), soft -1..1, handle direction of center  Axis of symmetry, of any length
//! @param radius: f32 = 0.25, 0.., soft 0..1, handle radius of center      Radius of the ring's centre line [m]
//! @param thickness: f32 = 0.08, 0.., soft 0..0.5                          Radius of the ring's section [m]

fn stage(position: Vec) -> f32 {
    let away = vec3f(position.xy, select(0.0, position[DIM - 1], DIM == 3)) - params.center;
    let axis = params.axis / max(length(params.axis), 1e-20);
    let height = dot(away, axis);
    return length(vec2f(length(away - height * axis) - params.radius, height)) - params.thickness;
}
