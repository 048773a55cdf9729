//! Shape of a Body
//! Brings a shape that stands upright around the origin to where a rigid body is:  d(x) = shape(R^-1 (x - place)).
//! Source: none, a rigid transformation.
//! Keywords: translate, rotate, follow, attach
//!
//! @in    shape: Field<f32>          Signed distance, of a shape around the origin [m]
//! @in    place: vec4f               Centre of mass, from Rigid Body [m]
//! @in    rotation: vec4f            Rotation, a quaternion, from Rigid Body
//! @out   distance: Field<f32>       Signed distance there [m]
//! @use shared/quaternion
//! @use shared/space

fn stage(position: Vec) -> f32 {
    let back = turned_back(rotation(), in_space(position) - select(vec3f(place().xy, 0.0), place().xyz, DIM == 3));
    var local = Vec();
    for (var axis = 0; axis < DIM; axis++) { local[axis] = back[axis]; }
    return shape(local);
}
