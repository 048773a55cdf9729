//! Motion of a Body
//! Velocity of the points of a rigid body,  u = V + w x (x - place).
//! Source: Euler 1765.
//!
//! @in    place: vec4f               Centre of mass, from Rigid Body [m]
//! @in    velocity: vec4f            Its velocity, from Rigid Body [m/s]
//! @in    spin: vec4f                Angular velocity, from Rigid Body; in 2D z counts [rad/s]
//! @out   motion: Field<Vec>         Velocity of the body, continued everywhere [m/s]
//! @use shared/space

fn stage(position: Vec) -> Vec {
    let away = in_space(position) - select(vec3f(place().xy, 0.0), place().xyz, DIM == 3);
    let turning = cross(select(vec3f(0.0, 0.0, spin().z), spin().xyz, DIM == 3), away);
    var motion = Vec();
    for (var axis = 0; axis < DIM; axis++) { motion[axis] = velocity()[axis] + turning[axis]; }
    return motion;
}
