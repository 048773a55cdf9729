//! Flow through Faces
//! Averages a centred velocity onto the open faces:  u_f = (u(cell) + u(cell - e)) / 2,  and 0 on walls and closed borders. On an open
//! border and an inflow it is the velocity of the cell inside. Its divergence is that of central differences. The weights, 1 on open faces,
//! let a pressure solver find the walls.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965 (staggered grid).
//!
//! @in  velocity: Grid<Vec>                 Flow at cell centres [m/s]
//! @in  mask: Grid<f32> = 1                 1 in cells that fluid can fill, 0 in walls
//! @out flow: FaceGrid, like velocity       The flow through the faces [m/s]
//! @out weight: FaceGrid, like velocity     1 on open faces, 0 on walls, closed borders and inflows

fn stage(cell: Cell) -> Result {
    var flow = Vec();
    var weight = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let below = cell - unit(axis);
        let given = inflow_face(cell, axis);
        if (wall_face(cell, axis) && !given) || mask(cell) < 0.5 || mask(below) < 0.5 { continue; }
        // Beyond a border there is no velocity to average with.
        let outer = given || open_face(cell, axis);
        let first = select(cell, below, outer && !inside(cell));
        let second = select(below, first, outer);
        flow[axis] = 0.5 * dot(Vec(unit(axis)), velocity(first) + velocity(second));
        weight[axis] = select(1.0, 0.0, given);
    }
    return Result(flow, weight);
}
