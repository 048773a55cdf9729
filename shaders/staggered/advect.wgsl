//! Advect Faces
//! Self-advection of the flow: each face takes its component from where the flow came from,  u(x) = u_old(x - dt u(x - dt u / 2)).
//! Another field on faces is carried likewise. The lookup is linear, which smooths like a viscosity of about h |u| / 4.
//! A path back ends where it meets a wall. Advect Faces (watched) warns where steps are too long for the flow.
//! Source: Stam, SIGGRAPH 1999 (semi-Lagrangian); Bridson, Fluid Simulation for Computer Graphics, ch. 3 (midpoint path).
//!
//! @in    velocity: FaceGrid                    Flow on the faces [m/s]
//! @in    field: FaceGrid = 0                   What the flow carries; unless wired, the flow itself [m/s]
//! @in    open: Grid<f32> = 1                   1 in cells that fluid can fill, 0 in walls
//! @out   result: FaceGrid, like velocity       The flow one step later [m/s]
//! @param step: f32 = 1, 0..1                   Part of the time step
//! @param order: i32 = 2, 1..2, fixed           Path back: 1 one Euler step, 2 midpoint (Runge-Kutta 2)
//! @use shared/face_path
//! @use shared/carried_faces

fn stage(cell: Cell) -> Vec {
    let dt = params.step * frame.dt;
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let below = cell - unit(axis);
        if inflow_face(cell, axis) { faces[axis] = carried_faces(cell)[axis]; }
        if wall_face(cell, axis) || open(cell) < 0.5 || open(below) < 0.5 { continue; }
        let here = (Vec(cell) + 0.5 - 0.5 * Vec(unit(axis))) * CELL_SIZE;
        var back = velocity_at(here);
        if params.order == 2 { back = velocity_at(here - 0.5 * dt * back); }
        faces[axis] = carried(before_walls(cell, axis, here, here - dt * back))[axis];
    }
    return faces;
}

fn carried(place: Vec) -> Vec {
    if field_wired { return field_at(place); }
    return velocity_at(place);
}
