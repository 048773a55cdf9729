//! Turned Frame
//! Position of an image point in the frame of an object that is drawn turned and shifted:  q = center + R(-angle) (p - picture).
//! Drawing and pointer use the same field, so they agree.
//! Source: none, a rigid motion.
//!
//! @in    angle: f32 = 0                               Angle of the object in the image, counter-clockwise [rad]
//! @out   place: Field<Vec>                            The point in the object's own frame [m]
//! @param center: Vec = (0.05, 0.08, 0), soft -2..2       Centre of rotation in its own frame [m]
//! @param picture: Vec = (0.108, 0.108, 0), soft -2..2    Position of this centre in the image [m]

fn stage(position: Vec) -> Vec {
    let away = position - params.picture;
    let c = cos(angle());
    let s = sin(angle());
    var turned = away;
    turned.x = c * away.x + s * away.y;
    turned.y = c * away.y - s * away.x;
    return params.center + turned;
}
