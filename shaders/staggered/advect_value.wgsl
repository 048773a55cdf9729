//! Advect Value (faces)
//! Carries a value at cell centres along a flow on faces:  q(x) = q_old(x - dt u(x - dt u / 2)).  The lookup is linear over the open
//! cells around the place. Nothing comes through walls: a path back ends where it meets one, and only open cells on its side of it give. No new extrema, stable for any step; it smooths like a diffusivity of about h |u| / 4.
//! Source: Stam, SIGGRAPH 1999 (semi-Lagrangian); Bridson, Fluid Simulation for Computer Graphics, ch. 3 (midpoint path).
//! Source: Amanatides and Woo, A Fast Voxel Traversal Algorithm, 1987 (paths from cell to cell).
//!
//! @in    field: Grid<F>                   What the flow carries
//! @in    velocity: FaceGrid               Flow on the faces [m/s]
//! @in    open: Grid<f32> = 1              1 in cells that fluid can fill, 0 in walls
//! @out   result: Grid<F>, like field      The same one step later
//! @use shared/wall_path
//! @use shared/connected_cells

fn stage(cell: Cell) -> F {
    if open(cell) < 0.5 { return field(cell); }
    let here = position(cell);
    let half_way = here - 0.5 * frame.dt * velocity_at(here);
    let origin = here - frame.dt * velocity_at(half_way);
    if !open_wired { return field_at(origin); }
    let sum = between_walls(before_walls(cell, (origin - here) / CELL_SIZE));
    return sum.value / sum.weight;
}
