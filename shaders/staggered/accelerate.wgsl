//! Accelerate Faces
//! Distributes an acceleration to the faces, half to each:  u_face += step dt (a(cell) + a(cell - e)) / 2,  0 on walls and closed borders; an inflow is kept.
//! Source: saharan, oil clock article, 2016, steps 2 and 8.
//!
//! @inout velocity: FaceGrid = 0        Flow on the faces [m/s]
//! @in    acceleration: Grid<Vec> = 0   Force per mass at cell centres [m/s^2]
//! @in    open: Grid<f32> = 1           1 in cells that fluid can fill, 0 in walls
//! @param step: f32 = 1, 0..1           Part of the time step

fn stage(cell: Cell) -> Vec {
    var faces = velocity(cell);
    for (var axis = 0; axis < DIM; axis++) {
        if inflow_face(cell, axis) { continue; }
        let below = cell - unit(axis);
        let pushed = faces[axis] + params.step * frame.dt * 0.5 * dot(Vec(unit(axis)), acceleration(below) + acceleration(cell));
        let closed = wall_face(cell, axis) || open(cell) < 0.5 || open(below) < 0.5;
        faces[axis] = select(pushed, 0.0, closed);
    }
    return faces;
}
