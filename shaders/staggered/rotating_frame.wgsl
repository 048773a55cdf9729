//! Rotating Frame
//! Accelerations of a fluid that is described in the frame of a vessel, while the vessel turns about an axis along z. With W the angular velocity, r the
//! distance vector from the axis and u the velocity in this frame, the velocity in the frame of the room is  u + W x r.  Its rate of change,
//! written in the turning frame, is  du/dt + dW/dt x r + 2 W x u + W x (W x r),  so the fluid is accelerated in the frame by
//!     a = -dW/dt x r - 2 W x u + W^2 r     (Euler, Coriolis, centrifugal).
//! Components in the xy plane, counter-clockwise positive:  a_x = W' y + 2 W v + W^2 x,  a_y = -W' x - 2 W u + W^2 y.
//! Fluid that is at rest in the room has  u = -W x r  here: in the frame it turns back against the vessel.
//! W is that of the middle of the step. Coriolis turns the velocity by 2 atan(W dt), the midpoint rule, so that it neither adds nor
//! takes energy; a face takes the other component as the mean of the four faces around it. Both fluids are accelerated alike; pressure and
//! density make the lighter one gather at the axis.
//! Source: Batchelor, An Introduction to Fluid Dynamics, 1967, section 3.2 (equations relative to moving axes).
//!
//! @inout velocity: FaceGrid = 0        Flow in the frame of the vessel [m/s]
//! @in    rate: f32 = 0                 Angular velocity W at the end of the step, counter-clockwise [rad/s]
//! @in    change: f32 = 0               Its mean rate of change over the step [rad/s^2]
//! @in    open: Grid<f32> = 1           1 in cells that fluid can fill, 0 in walls
//! @param center: Vec = (0.05, 0.08, 0), soft -2..2, handle position     A point on the axis, in the frame of the vessel [m]
//! @param strength: f32 = 1, 0..1       Part of these accelerations that is applied; 0 switches them off

fn stage(cell: Cell) -> Vec {
    let dt = params.strength * frame.dt;
    let middle = rate() - 0.5 * frame.dt * change();
    let t = middle * dt;
    let cosine = (1.0 - t * t) / (1.0 + t * t);
    let sine = 2.0 * t / (1.0 + t * t);
    var faces = velocity(cell);
    for (var axis = 0; axis < DIM; axis++) {
        if inflow_face(cell, axis) { continue; }
        let below = cell - unit(axis);
        let closed = wall_face(cell, axis) || open(cell) < 0.5 || open(below) < 0.5;
        if axis < 2 {
            let other = 1 - axis;
            let hand = f32(other - axis); // 1 for x, whose other component is v; -1 for y
            let across = 0.25 * (velocity_face(cell, 2 * other) + velocity_face(cell, 2 * other + 1)
                + velocity_face(below, 2 * other) + velocity_face(below, 2 * other + 1));
            let away = (Vec(cell) + 0.5 - 0.5 * Vec(unit(axis))) * CELL_SIZE - params.center;
            let pushed = hand * change() * away[other] + middle * middle * away[axis];
            faces[axis] = cosine * faces[axis] + hand * sine * across + dt * pushed;
        }
        faces[axis] = select(faces[axis], 0.0, closed);
    }
    return faces;
}
