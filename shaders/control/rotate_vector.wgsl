//! Rotate Vector
//! A vector turned by an angle in the xy plane:  v' = R(angle) v.  With `inverse` by the opposite angle: that is the same vector as a
//! thing that is turned by the angle sees it, such as gravity in a turned clock.
//! Source: none.
//!
//! @over once
//! @in    vector: Vec = (0, -9.81, 0)      What is turned; a third component stays
//! @in    angle: f32 = 0                   Against the clock [rad]
//! @out   result: Vec                      The turned vector
//! @param inverse: bool = false            Turn the other way

fn stage() -> Vec {
    let angle = select(angle(), -angle(), params.inverse != 0);
    let before = vector();
    var after = before;
    after.x = cos(angle) * before.x - sin(angle) * before.y;
    after.y = sin(angle) * before.x + cos(angle) * before.y;
    return after;
}
