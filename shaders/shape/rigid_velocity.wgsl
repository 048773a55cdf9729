//! Rigid Velocity
//! Velocity of the points of a moving and rotating body:  u = V + w x (x - x0).
//! Source: Euler 1765.
//!
//! @out   velocity: Field<Vec>                                          Velocity of the body, continued everywhere [m/s]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position    x0, the point that moves with V [m]
//! @param linear: Vec = (0, 0, 0), soft -4..4, handle vector of center  V [m/s]
//! @param angular: vec3f = (0, 0, 0), soft -10..10                      w; a 2D domain uses z, counter-clockwise [rad/s]

fn stage(position: Vec) -> Vec {
    let away = position - params.center;
    let space = vec3f(away.xy, select(0.0, away[DIM - 1], DIM == 3));
    let turning = cross(select(vec3f(0.0, 0.0, params.angular.z), params.angular, DIM == 3), space);
    var velocity = params.linear;
    for (var axis = 0; axis < DIM; axis++) { velocity[axis] += turning[axis]; }
    return velocity;
}
