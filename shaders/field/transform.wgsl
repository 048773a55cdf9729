//! Transform Field
//! Scales and rotates a field about `pivot`, then shifts it:  result(x) = field(pivot + S^-1 R^-1 (x - offset - pivot)).
//! In a 2D domain it rotates about +z. The values do not change: vectors keep their directions, and scaled distances are no distances.
//! Keywords: translate, move, rotate, scale, stretch, mirror
//! Source: Rodrigues 1840.
//!
//! @in    field: Field<T>                                                 Any field
//! @out   result: Field<T>                                                The moved field
//! @param offset: Vec = (0, 0, 0), soft -2..2                             Shift [m]
//! @param angle: f32 = 0, soft -180..180                                  Angle, counter-clockwise seen against the axis [degrees]
//! @param axis: vec3f = (0, 0, 1), soft -1..1, handle direction of pivot  Axis of rotation, of any length
//! @param scale: Vec = (1, 1, 1), soft 0.1..4                             Magnification along the field's own axes; a negative one mirrors
//! @param pivot: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position       Point that scale and rotation leave in place [m]
//! @use shared/rotation

fn stage(position: Vec) -> T {
    let away = position - params.offset - params.pivot;
    let turned = turn_back(vec3f(away.xy, select(0.0, away[DIM - 1], DIM == 3)));
    var local = params.pivot;
    for (var axis = 0; axis < DIM; axis++) {
        let scale = params.scale[axis];
        local[axis] += turned[axis] / select(scale, 1e-9, scale == 0.0);
    }
    return field(local);
}
