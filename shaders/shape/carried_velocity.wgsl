//! Carried Velocity
//! The same velocity everywhere, that a stage computes: of a body that moves without turning. Rigid Velocity is for one that is given by parameters.
//! Source: none.
//! Keywords: constant, body
//!
//! @in    linear: vec3f              Velocity, such as from Grabbed Body [m/s]
//! @out   velocity: Field<Vec>       Velocity of the body, continued everywhere [m/s]

fn stage(position: Vec) -> Vec {
    var velocity = Vec();
    for (var axis = 0; axis < DIM; axis++) { velocity[axis] = linear()[axis]; }
    return velocity;
}
