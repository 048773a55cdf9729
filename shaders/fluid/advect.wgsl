//! Advect
//! Carries a field along the velocity, semi-Lagrangian:  q(x, t + dt) = q(x - dt u, t) exp(-dissipation dt).
//! Stable for any step; each step smooths a little (see MacCormack Correction), and sums drift by some per cent
//! (see Advect (conservative)). A path that would begin in a wall is shortened, and cells in walls neither give nor take.
//! Source: Stam, Stable Fluids, SIGGRAPH 1999.
//!
//! @in    velocity: Grid<Vec>                    Flow that carries the field [m/s]
//! @in    field: Grid<T>                         The field to carry: dye, temperature, the velocity itself
//! @in    open: Grid<f32> = 1                    1 in cells that fluid can fill, 0 in walls
//! @out   result: Grid<T>, like field            The field one step later
//! @param dissipation: f32 = 0, 0.., soft 0..4   Rate at which the field fades [1/s]
//! @param order: i32 = 1, 1..2, fixed            Backtrace: 1 one Euler step, 2 midpoint (Runge-Kutta 2), more accurate in vortices

const CORNERS = 4 * (DIM - 1); // 2^DIM

fn stage(cell: Cell) -> T {
    let arrival = position(cell);
    // By position, since the flow may live on wider cells.
    var flow = velocity_at(position(cell));
    if params.order == 2 { flow = velocity_at(arrival - 0.5 * frame.dt * flow); }
    if open_wired {
        if open(cell) < 0.5 { return field(cell); }
        var origin = arrival - frame.dt * flow;
        for (var i = 0; i < 8; i++) { origin = select(origin, 0.5 * (origin + arrival), open_at(origin) < 0.5); }
        // Linear interpolation between open cells.
        let lowest = Cell(floor(origin / CELL_SIZE - 0.5));
        var upper = fract(origin / CELL_SIZE - 0.5);
        var sum = T();
        var total = 0.0;
        for (var corner = 0; corner < CORNERS; corner++) {
            var near = lowest;
            var weight = 1.0;
            for (var axis = 0; axis < DIM; axis++) {
                let step = (corner >> u32(axis)) & 1;
                near += step * unit(axis);
                weight *= select(1.0 - upper[axis], upper[axis], step == 1);
            }
            sum += field(near) * (weight * open(near));
            total += weight * open(near);
        }
        return sum * (exp(-params.dissipation * frame.dt) / total);
    }
    return field_at(arrival - frame.dt * flow) * exp(-params.dissipation * frame.dt);
}
