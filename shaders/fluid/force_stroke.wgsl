//! Stroke Force
//! A hand in space drags the fluid along:  u += (1 - exp(-dt strength w)) (u_hand - u),  w = exp(-d^2 / radius^2),  with d the distance to the stroke
//! that the hand drew in this frame. The fluid never becomes faster than the hand. Position and velocity come from Pointer in Space.
//! Source: edom18, Unity fluid simulation (InteractionForce), 2020; the relaxation is exact for any step.
//! Keywords: mouse, stir, drag, hand
//!
//! @inout velocity: Grid<Vec> = 0                         Flow [m/s]
//! @in    hand: vec3f                                     Position of the hand [m]
//! @in    pressed: f32                                    1 while it acts
//! @in    hand_velocity: vec3f                            Its velocity [m/s]
//! @param radius: f32 = 0.1, 0.., soft 0.01..0.5          Reach around the stroke [m]
//! @param strength: f32 = 30, 0.., soft 0..120            Rate at which the fluid takes the hand's velocity [1/s]

fn stage(cell: Cell) -> Vec {
    let before = velocity(cell);
    if pressed() < 0.5 { return before; }
    var end = Vec();
    var motion = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        end[axis] = hand()[axis];
        motion[axis] = hand_velocity()[axis];
    }
    let stroke = motion * frame.dt;
    let away = end - position(cell);
    let along = clamp(dot(away, stroke) / max(dot(stroke, stroke), 1e-20), 0.0, 1.0);
    let distance = length(away - stroke * along) / max(params.radius, 1e-6);
    let part = 1.0 - exp(-frame.dt * params.strength * exp(-distance * distance));
    // A hand at rest holds nothing back.
    return select(before, mix(before, motion, part), dot(stroke, stroke) > 0.0);
}
