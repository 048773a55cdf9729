//! Move
//! Rotates a shape about an axis through `pivot` and shifts it:  d(x) = shape(pivot + R^-1 (x - offset - pivot)).
//! In a 2D domain it rotates about +z.
//! Source: Rodrigues 1840.
//!
//! @in    shape: Field<f32>                                               Signed distance [m]
//! @out   distance: Field<f32>                                            Signed distance of the moved shape [m]
//! @param offset: Vec = (0, 0, 0), soft -2..2                             Shift [m]
//! @param angle: f32 = 0, soft -180..180                                  Angle, counter-clockwise seen against the axis [degrees]
//! @param axis: vec3f = (0, 1, 0), soft -1..1, handle direction of pivot  Axis of rotation, of any length
//! @param pivot: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position       Centre of rotation [m]
//! @use shared/rotation

fn stage(position: Vec) -> f32 {
    let away = position - params.offset - params.pivot;
    let turned = turn_back(vec3f(away.xy, select(0.0, away[DIM - 1], DIM == 3)));
    var local = params.pivot;
    for (var axis = 0; axis < DIM; axis++) { local[axis] += turned[axis]; }
    return shape(local);
}
