//! Rotate Vector
//! A vector turned by an angle in the xy plane:  v' = R(angle) v.  With `inverse` it turns by the opposite angle, which gives the vector in the
//! frame of an object turned by the angle, such as gravity in a turned clock.
//! Source: none.
//!
//! @over once
//! @in    vector: Vec = (0, -9.81, 0)      The vector to turn; a third component does not change
//! @in    angle: f32 = 0                   Angle, counter-clockwise [rad]
//! @out   result: Vec                      The turned vector
//! @param inverse: bool = false            Turn in the opposite direction

fn stage() -> Vec {
    let angle = select(angle(), -angle(), params.inverse != 0);
    let before = vector();
    var after = before;
    after.x = cos(angle) * before.x - sin(angle) * before.y;
    after.y = sin(angle) * before.x + cos(angle) * before.y;
    return after;
}
