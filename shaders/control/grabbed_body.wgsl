//! Grabbed Body
//! Centre and velocity of a body that follows a path until the hand takes it. Held, it follows the hand; released, it keeps the hand's velocity,
//! m dv/dt = m g + F,  and bounces off the sides of a box that it never leaves. Any shape with a centre can take the place: wire `center` to it.
//! Two States are its memory: `(state: "vec3f", inputs: {"next": "body.center"})` and `(state: "vec4f", inputs: {"next": "body.motion"})`. Give Pointer
//! in Space the shape at the centre of the first one: where it was in the frame before.
//! Source: Newton 1687; symplectic Euler: Hairer, Lubich and Wanner, Geometric Numerical Integration, 2006.
//! Keywords: drag, throw, ball, hand
//!
//! @over once
//! @in    last_center: vec3f = 0                           Centre in the previous frame, from the State [m]
//! @in    last_motion: vec4f = 0                           Memory from the previous frame, from the other State
//! @in    hand: vec3f                                      Position, from Pointer in Space [m]
//! @in    pressed: f32                                     1 while the hand holds the body
//! @in    hand_velocity: vec3f                             Its velocity [m/s]
//! @in    force: vec3f = 0                                 Force on the released body, such as that of a fluid [N]
//! @out   center: vec3f                                    Centre [m]
//! @out   velocity: vec3f                                  Velocity over this frame [m/s]
//! @out   motion: vec4f                                    Velocity of a free body [m/s], or centre minus hand of a held one [m]; 0 on its path, 1 held, 2 free
//! @param path: vec3f = (0.5, 0.5, 0.5), soft -2..2, handle position    Centre until the hand takes it [m]
//! @param path_velocity: vec3f = (0, 0, 0), soft -4..4     Derivative of the path [m/s]
//! @param radius: f32 = 0.1, 0.., soft 0..1                Radius, the distance that the centre keeps from the box [m]
//! @param low: vec3f = (0, 0, 0), soft -4..4               Lower corner of the box [m]
//! @param high: vec3f = (1, 1, 1), soft -4..4              Upper corner [m]
//! @param gravity: vec3f = (0, -9.81, 0), soft -20..20     Acceleration of a free body [m/s^2]
//! @param mass: f32 = 1, 0.0001.., soft 0.1..100           Mass [kg]
//! @param restitution: f32 = 0.4, 0..1                     Part of the speed that a bounce keeps
//! @param damping: f32 = 0.2, 0.., soft 0..10              Rate at which a free body slows down [1/s]
//! @param speed_limit: f32 = 100, 0.01.., soft 0.5..20     Fastest speed, also of a held body [m/s]

fn stage() -> Result {
    let before = vec4f(last_center(), last_motion().w);
    let dt = max(frame.dt, 1e-6);
    let low = params.low + params.radius;
    let high = max(params.high - params.radius, low);
    if pressed() > 0.5 {
        // The body is taken where it was in the frame before, as the hand saw it.
        var offset = last_motion().xyz;
        if before.w != 1.0 { offset = before.xyz - (hand() - hand_velocity() * frame.dt); }
        let center = clamp(before.xyz + limited((hand() + offset - before.xyz) / dt) * frame.dt, low, high);
        return Result(center, (center - before.xyz) / dt, vec4f(offset, 1.0));
    }
    if before.w == 0.0 { return Result(params.path, params.path_velocity, vec4f()); }
    let start = select(last_motion().xyz, limited(hand_velocity()), before.w == 1.0);
    let pushed = start + frame.dt * (params.gravity + force() / params.mass);
    var velocity = limited(pushed * exp(-params.damping * frame.dt));
    let ahead = before.xyz + velocity * frame.dt;
    let center = clamp(ahead, low, high);
    for (var axis = 0; axis < 3; axis++) {
        let outward = (ahead[axis] - center[axis]) * velocity[axis] > 0.0;
        if outward { velocity[axis] *= -params.restitution; }
    }
    return Result(center, (center - before.xyz) / dt, vec4f(velocity, 2.0));
}

fn limited(velocity: vec3f) -> vec3f {
    return velocity * min(1.0, params.speed_limit / max(length(velocity), 1e-20));
}
