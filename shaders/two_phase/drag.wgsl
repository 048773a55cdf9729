//! Drag
//! The pressed pointer pulls the fluid towards its own velocity:  a = w(d) (u_pointer - u) (1 - exp(-rate dt)) / dt,  d the distance to
//! its stroke. This is exact relaxation over a step: for any rate and step, the fluid gets no faster than the pointer. The pointer is
//! in fractions of an image, which `place` maps to the solver's own frame, as for drawing.
//! Source: saharan, oil clock article, 2016 (dragging mixes the fluids).
//!
//! @in    velocity: FaceGrid                           Flow [m/s]
//! @in    place: Field<Vec>                            From the image to the frame of the flow [m]
//! @inout acceleration: Grid<Vec> = 0                  The acceleration that it is added to, such as gravity [m/s^2]
//! @param picture: vec2f = (0.216, 0.216), 0..         Width and height of the image [m]
//! @param radius: f32 = 0.006, 0.., soft 0.001..0.05   Reach around the pointer [m]
//! @param strength: f32 = 40, 0.., soft 0..200         Relaxation rate [1/s]
//! @param max_speed: f32 = 0.5, 0.., soft 0..5         Limit of the pointer's speed [m/s]
//! @param buttons: i32 = 1, 1..7                       Active buttons, as a sum: 1 left, 2 right, 4 middle

fn stage(cell: Cell) -> Vec {
    if (i32(frame.buttons) & params.buttons) == 0 { return acceleration(cell); }
    let end = in_flow(frame.mouse);
    let start = in_flow(frame.mouse - frame.mouse_velocity * frame.dt);
    let stroke = end - start;
    let along = clamp(dot(position(cell) - start, stroke) / max(dot(stroke, stroke), 1e-20), 0.0, 1.0);
    let distance = length(position(cell) - start - along * stroke) / max(params.radius, 1e-6);

    var flow = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        flow += Vec(unit(axis)) * 0.5 * (velocity_face(cell, 2 * axis) + velocity_face(cell, 2 * axis + 1));
    }
    let step = max(frame.dt, 1e-6);
    let pointer = stroke / step;
    let slowed = pointer * min(1.0, params.max_speed / max(length(pointer), 1e-20));
    let pull = exp(-distance * distance) * (1.0 - exp(-params.strength * step)) / step;
    return acceleration(cell) + pull * (slowed - flow);
}

// A point in fractions of the picture, in the frame of the flow.
fn in_flow(pair: vec2f) -> Vec {
    var metres = Vec();
    metres.x = pair.x * params.picture.x;
    metres.y = pair.y * params.picture.y;
    return place(metres);
}
