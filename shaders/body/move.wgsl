//! Move a Body
//! A frame of a rigid body under gravity and the force and torque of a fluid,  m dv/dt = m g + F,  I dw/dt + w x I w = T.  The force that a frame measures acts
//! on the next one, extrapolated to it,  v' = v + dt (a + lead (a - a_before)),  x' = x + dt v,  so that a heave neither gains nor loses energy to first order. A
//! body that is lighter than the fluid which it moves along would be thrown about by last frame's force: where `added_mass` is that fluid's mass, its part
//! of the force is taken at the new acceleration instead,  (m + m_a) a = m g + F + m_a a_imposed.  It changes no motion, and may be off by a third of m + m_a.
//! Source: Newton 1687; Euler 1765; Causin, Gerbeau and Nobile, Comput. Methods Appl. Mech. Eng. 194, 2005 (added mass and explicit coupling).
//!
//! @over once
//! @in    place: vec4f                                     From Begin a Body [m]
//! @in    velocity: vec4f                                  From Begin a Body [m/s]
//! @in    rotation: vec4f                                  From Begin a Body
//! @in    spin: vec4f                                      From Begin a Body [rad/s]
//! @in    last_push: vec4f = 0                             Acceleration that the frame before measured, from a State [m/s^2]
//! @in    last_given: vec4f = 0                            Acceleration that this frame's velocity came from, from a State [m/s^2]
//! @in    last_twist: vec4f = 0                            The same of the rotation [rad/s^2]
//! @in    last_turn: vec4f = 0                             The same of the rotation [rad/s^2]
//! @in    force: Vec = 0                                   Force of the fluid in this frame [N, in 2D N/m]
//! @in    torque: vec3f = 0                                Its torque about the point `about`; in 2D z counts [N m, in 2D N]
//! @in    dt: f32 = 0                                      Time step, such as that of a substep; 0 is the frame's [s]
//! @out   next_place: vec4f                                Centre of mass in the next frame [m]
//! @out   next_velocity: vec4f                             Velocity [m/s]
//! @out   next_rotation: vec4f                             Rotation, a quaternion
//! @out   next_spin: vec4f                                 Angular velocity [rad/s]
//! @out   push: vec4f                                      Acceleration in this frame [m/s^2]
//! @out   given: vec4f                                     Acceleration from which the next velocity comes [m/s^2]
//! @out   twist: vec4f                                     Angular acceleration in this frame [rad/s^2]
//! @out   turn: vec4f                                      Angular acceleration from which the next angular velocity comes [rad/s^2]
//! @param mass: f32 = 1, 0.0000001.., soft 0.1..1000       Mass [kg, in 2D kg/m]
//! @param inertia: vec3f = (1, 1, 1), soft 0..10           Principal moments of inertia of the upright shape; 2D uses z [kg m^2, in 2D kg m]
//! @param gravity: vec3f = (0, -9.81, 0), soft -20..20     That of the fluid [m/s^2]
//! @param added_mass: f32 = 0, 0.., soft 0..1000           Mass of the fluid that moves along: of a ball half of what it displaces, of a disc all of it [kg, in 2D kg/m]
//! @param added_inertia: f32 = 0, 0.., soft 0..10          The same for turning; 0 for round bodies [kg m^2, in 2D kg m]
//! @param lead: f32 = 1, 0..1                              1 extrapolates the force to the next frame; 0 takes it as it is, for small steps and forces that hammer, as of SPH
//! @param about: vec3f = (0.5, 0.5, 0.5), soft -2..2       Point that the torque is about, as of the stage that measures it [m]
//! @param free: vec3f = (1, 1, 1), 0..1                    1 for axes along which the body may move, 0 for those along which it is held
//! @param free_turn: vec3f = (1, 1, 1), 0..1               1 for axes about which it may turn
//! @use shared/quaternion
//! @use shared/space

fn stage() -> Result {
    let dt = select(frame.dt, dt(), dt() > 0.0);
    let force = in_space(force());
    let first = last_push().w == 0.0;
    let pushed = params.mass * params.gravity + force + params.added_mass * last_given().xyz;
    let push = params.free * pushed / (params.mass + params.added_mass);
    // A velocity is that in the middle of a frame; the first one is that at the start.
    let given = push + params.lead * select(push - last_push().xyz, 0.5 * push, first);

    var torque = torque() - cross(place().xyz - params.about, force);
    if DIM == 2 { torque = vec3f(0.0, 0.0, torque.z); }
    let own = turned_back(rotation(), spin().xyz);
    let twisted = turned_back(rotation(), torque + params.added_inertia * last_turn().xyz) - cross(own, params.inertia * own);
    let twist = params.free_turn * turned_by(rotation(), twisted / max(params.inertia + params.added_inertia, vec3f(1e-12)));
    let turn = twist + params.lead * select(twist - last_twist().xyz, 0.5 * twist, first);
    return Result(
        vec4f(place().xyz + dt * velocity().xyz, 1.0),
        velocity() + dt * vec4f(given, 0.0),
        turned_on(rotation(), spin().xyz, dt),
        spin() + dt * vec4f(turn, 0.0),
        vec4f(push, 1.0),
        vec4f(given, 1.0),
        vec4f(twist, 1.0),
        vec4f(turn, 1.0),
    );
}

// A rotation that goes on with an angular velocity for a while.
fn turned_on(q: vec4f, spin: vec3f, time: f32) -> vec4f {
    let half = 0.5 * time * length(spin);
    let more = vec4f(sin(half) * spin / max(length(spin), 1e-20), cos(half));
    let next = vec4f(more.w * q.xyz + q.w * more.xyz + cross(more.xyz, q.xyz), more.w * q.w - dot(more.xyz, q.xyz));
    return next / max(length(next), 1e-20);
}
