//! Turned Frame
//! Where a point of the picture lies in the frame of a thing that is drawn turned and shifted:  q = center + R(-angle) (p - picture).
//! Drawing and pointer ask the same field, so they agree.
//! Source: none, a rigid motion.
//!
//! @in    angle: f32 = 0                               How far the thing is turned in the picture, against the clock [rad]
//! @out   place: Field<Vec>                            The point in the thing's own frame [m]
//! @param center: Vec = (0.05, 0.08, 0), soft -2..2       Its middle, around which it turns, in its own frame [m]
//! @param picture: Vec = (0.108, 0.108, 0), soft -2..2    Where that is in the picture [m]

fn stage(position: Vec) -> Vec {
    let away = position - params.picture;
    let c = cos(angle());
    let s = sin(angle());
    var turned = away;
    turned.x = c * away.x + s * away.y;
    turned.y = c * away.y - s * away.x;
    return params.center + turned;
}
