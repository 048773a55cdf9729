//! Advect
//! Carries a field along the velocity, semi-Lagrangian:  q(x, t + dt) = q(x - dt u, t) exp(-dissipation dt).
//! Stable for any step; each step smooths a little (see MacCormack Correction), and sums drift by some per cent
//! (see Advect (conservative)).
//! Source: Stam, Stable Fluids, SIGGRAPH 1999.
//!
//! @in    velocity: Grid<Vec>                    Flow that carries the field [m/s]
//! @in    field: Grid<T>                         The field to carry: dye, temperature, the velocity itself
//! @out   result: Grid<T>, like field            The field one step later
//! @param dissipation: f32 = 0, 0.., soft 0..4   Rate at which the field fades [1/s]
//! @param order: i32 = 1, 1..2, fixed            Backtrace: 1 one Euler step, 2 midpoint (Runge-Kutta 2), more accurate in vortices

fn stage(cell: Cell) -> T {
    let arrival = position(cell);
    // By position, since the flow may live on wider cells.
    var flow = velocity_at(position(cell));
    if params.order == 2 { flow = velocity_at(arrival - 0.5 * frame.dt * flow); }
    return field_at(arrival - frame.dt * flow) * exp(-params.dissipation * frame.dt);
}
