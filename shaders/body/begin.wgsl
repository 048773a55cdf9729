//! Begin a Body
//! Place and motion of a rigid body in this frame: what the States remember, and in the first frame where it starts. The part of Rigid Body that shapes
//! are placed by.
//! Source: none.
//!
//! @over once
//! @in    last_place: vec4f = 0                            Place, from a State; 0 as fourth component before the first frame [m]
//! @in    last_velocity: vec4f = 0                         Velocity, from a State [m/s]
//! @in    last_rotation: vec4f = 0                         Rotation, a quaternion, from a State
//! @in    last_spin: vec4f = 0                             Angular velocity, from a State [rad/s]
//! @out   place: vec4f                                     Centre of mass [m]
//! @out   velocity: vec4f                                  Its velocity during this frame [m/s]
//! @out   rotation: vec4f                                  Rotation since the shape stood upright, a quaternion (x, y, z, w)
//! @out   spin: vec4f                                      Angular velocity during this frame [rad/s]
//! @param center: vec3f = (0.5, 0.5, 0.5), soft -2..2, handle position    Centre of mass at the start [m]
//! @param axis: vec3f = (0, 0, 1), soft -1..1              Axis of its rotation at the start, of any length
//! @param angle: f32 = 0, soft -180..180                   Angle of that, counter-clockwise seen against the axis [degrees]
//! @param linear: vec3f = (0, 0, 0), soft -4..4, handle vector of center  Velocity at the start [m/s]
//! @param angular: vec3f = (0, 0, 0), soft -10..10         Angular velocity at the start; in 2D z counts, counter-clockwise [rad/s]

fn stage() -> Result {
    if last_place().w > 0.0 { return Result(last_place(), last_velocity(), last_rotation(), last_spin()); }
    let half = 0.5 * radians(params.angle);
    let turned = vec4f(sin(half) * params.axis / max(length(params.axis), 1e-20), cos(half));
    return Result(vec4f(params.center, 1.0), vec4f(params.linear, 0.0), turned, vec4f(params.angular, 0.0));
}
