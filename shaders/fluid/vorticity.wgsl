//! Vorticity
//! Curl of the velocity, central differences:  w = curl(u) = sum over faces of n x u(neighbour) / 2h.  In 2D it is (0, 0, w).
//! A wall has the ghost value  2 motion - u,  since the fluid sticks to it, or, with free slip, that of the cell itself.
//! Source: Fedkiw, Stam and Jensen, Visual Simulation of Smoke, SIGGRAPH 2001, equation 9.
//!
//! @in    velocity: Grid<Vec>                Flow [m/s]
//! @in    open: Grid<f32> = 1                1 in cells that fluid can fill, 0 in walls
//! @in    motion: Grid<Vec> = 0, velocity of open  Velocity of the walls, read in their own cells [m/s]
//! @out   vorticity: Grid<vec3f>             Twice the local angular velocity, 0 in walls [1/s]
//! @param free_slip: bool = false, fixed     The fluid slips freely along walls
//! @use shared/space

fn stage(cell: Cell) -> vec3f {
    if open_wired && open(cell) < 0.5 { return vec3f(); }
    var circulation = vec3f();
    for (var axis = 0; axis < DIM; axis++) { circulation += along(cell, 2 * axis) + along(cell, 2 * axis + 1); }
    return circulation / (2.0 * CELL_SIZE);
}

fn along(cell: Cell, face: i32) -> vec3f {
    var next = velocity(neighbor(cell, face));
    if open_wired && open(neighbor(cell, face)) < 0.5 {
        next = select(2.0 * motion(neighbor(cell, face)) - velocity(cell), velocity(cell), params.free_slip != 0);
    }
    return cross(in_space(face_normal(face)), in_space(next));
}
