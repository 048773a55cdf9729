//! Flow through Faces
//! Averages a centred velocity onto the open faces:  u_f = (u(cell) + u(cell - e)) / 2,  and 0 on walls and closed borders. On an open
//! border it is the velocity of the cell inside. Its divergence is that of central differences. The weights, 1 on open faces,
//! let a pressure solver find the walls.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965 (staggered grid).
//!
//! @in  velocity: Grid<Vec>                 Flow at cell centres [m/s]
//! @in  mask: Grid<f32> = 1                 1 in cells that fluid can fill, 0 in walls
//! @out flow: FaceGrid, like velocity       The flow through the faces [m/s]
//! @out weight: FaceGrid, like velocity     1 on open faces, 0 on walls and closed borders

fn stage(cell: Cell) -> Result {
    var flow = Vec();
    var weight = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let below = cell - unit(axis);
        if wall_face(cell, axis) || mask(cell) < 0.5 || mask(below) < 0.5 { continue; }
        // Beyond an open border there is no velocity to average with.
        let share = select(0.5, 1.0, open_face(cell, axis));
        flow[axis] = share * dot(Vec(unit(axis)), velocity(cell) + velocity(below));
        weight[axis] = 1.0;
    }
    return Result(flow, weight);
}
