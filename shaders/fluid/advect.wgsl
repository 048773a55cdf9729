//! Advect
//! Carries a field along the velocity, semi-Lagrangian:  q(x, t + dt) = q(x - dt u, t) exp(-dissipation dt).
//! Stable for any step; each step smooths a little (see MacCormack Correction), and sums drift by some per cent
//! (see Advect (conservative)). Nothing comes through walls, thin ones and long steps included: a path back ends where it meets one,
//! and only open cells on its side of it give. Advect (watched) warns where steps are too long for the flow.
//! Source: Stam, Stable Fluids, SIGGRAPH 1999; Amanatides and Woo, A Fast Voxel Traversal Algorithm, 1987 (paths from cell to cell).
//!
//! @in    velocity: Grid<Vec>                    Flow that carries the field [m/s]
//! @in    field: Grid<F>                         The field to carry: dye, temperature, the velocity itself
//! @in    open: Grid<f32> = 1                    1 in cells that fluid can fill, 0 in walls
//! @out   result: Grid<F>, like field            The field one step later
//! @param dissipation: f32 = 0, 0.., soft 0..4   Rate at which the field fades [1/s]
//! @param order: i32 = 1, 1..2, fixed            Backtrace: 1 one Euler step, 2 midpoint (Runge-Kutta 2), more accurate in vortices
//! @use shared/wall_path
//! @use shared/connected_cells

fn stage(cell: Cell) -> F {
    let arrival = position(cell);
    // By position, since the flow may live on wider cells.
    var flow = velocity_at(position(cell));
    if params.order == 2 { flow = velocity_at(arrival - 0.5 * frame.dt * flow); }
    if open_wired {
        if open(cell) < 0.5 { return field(cell); }
        let sum = between_walls(before_walls(cell, -frame.dt / CELL_SIZE * flow));
        return sum.value * (exp(-params.dissipation * frame.dt) / sum.weight);
    }
    return field_at(arrival - frame.dt * flow) * exp(-params.dissipation * frame.dt);
}
