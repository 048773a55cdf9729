//! Advect Value (faces)
//! Carries a value at cell centres along a flow on faces:  q(x) = q_old(x - dt u(x - dt u / 2)).  The lookup is linear over the open
//! cells around the place, so walls take no part in it. No new extrema, stable for any step; it smooths like a diffusivity of about h |u| / 4.
//! Source: Stam, SIGGRAPH 1999 (semi-Lagrangian); Bridson, Fluid Simulation for Computer Graphics, ch. 3 (midpoint path).
//!
//! @in    field: Grid<T>                   What the flow carries
//! @in    velocity: FaceGrid               Flow on the faces [m/s]
//! @in    open: Grid<f32> = 1              1 in cells that fluid can fill, 0 in walls
//! @out   result: Grid<T>, like field      The same one step later

const CORNERS = 4 * (DIM - 1); // 2^DIM

fn stage(cell: Cell) -> T {
    if open(cell) < 0.5 { return field(cell); }
    let here = position(cell);
    let half_way = here - 0.5 * frame.dt * velocity_at(here);
    let place = (here - frame.dt * velocity_at(half_way)) / CELL_SIZE - 0.5;
    let lowest = floor(place);
    var sum = T();
    var total = 0.0;
    for (var corner = 0; corner < CORNERS; corner++) {
        var around = Cell(lowest);
        var weight = 1.0;
        for (var axis = 0; axis < DIM; axis++) {
            let upper = (corner >> u32(axis)) & 1;
            let part = place[axis] - lowest[axis];
            weight *= select(1.0 - part, part, upper == 1);
            around += unit(axis) * upper;
        }
        weight *= select(0.0, 1.0, open(around) > 0.5);
        sum += weight * field(around);
        total += weight;
    }
    if total < 1e-6 { return field(cell); }
    return sum / total;
}
