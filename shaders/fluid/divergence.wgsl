//! Divergence
//! Central difference at cell centres:  div(u) = sum over faces of n . u(neighbour) / 2h.
//! A wall has the ghost value  2 motion - u,  so that the mean of both sides is the velocity of the wall.
//! Source: Stam 1999; Harris, GPU Gems ch. 38, 2004; Harlow and Welch, Phys. Fluids 8, 1965 (ghost values).
//!
//! @in  velocity: Grid<Vec>       Flow [m/s]
//! @in  open: Grid<f32> = 1       1 in cells that fluid can fill, 0 in walls
//! @in  motion: Grid<Vec> = 0, velocity of open  Velocity of the walls, read in their own cells [m/s]
//! @out divergence: Grid<f32>     Outflow per volume, 0 in walls [1/s]

fn stage(cell: Cell) -> f32 {
    if open_wired && open(cell) < 0.5 { return 0.0; }
    var outflow = 0.0;
    for (var axis = 0; axis < DIM; axis++) { outflow += through(cell, 2 * axis) + through(cell, 2 * axis + 1); }
    return outflow / (2.0 * CELL_SIZE);
}

fn through(cell: Cell, face: i32) -> f32 {
    var next = velocity(neighbor(cell, face));
    if open_wired && open(neighbor(cell, face)) < 0.5 { next = 2.0 * motion(neighbor(cell, face)) - velocity(cell); }
    return dot(face_normal(face), next);
}
