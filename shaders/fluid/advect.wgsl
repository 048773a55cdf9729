//! Advect
//! Carries a field along the velocity, semi-Lagrangian:  q(x, t + dt) = q(x - dt u, t) exp(-dissipation dt).
//! Stable for any step; each step smooths a little (see MacCormack Correction).
//! Source: Stam, Stable Fluids, SIGGRAPH 1999.
//!
//! @in    velocity: Grid<Vec>                    Flow that carries the field [m/s]
//! @in    field: Grid<T>                         What is carried: dye, temperature, the velocity itself
//! @out   result: Grid<T>, like field            The field one step later
//! @param dissipation: f32 = 0, 0.., soft 0..4   Rate at which the field fades [1/s]
//! @param order: i32 = 1, 1..2                   Backtrace: 1 one Euler step, 2 midpoint (Runge-Kutta 2), truer in vortices

fn stage(cell: Cell) -> T {
    return field_at(departure(position(cell))) * exp(-params.dissipation * frame.dt);
}

// Where the fluid now at `arrival` was one step ago.
fn departure(arrival: Vec) -> Vec {
    let start = velocity_at(arrival);
    if params.order == 1 { return arrival - frame.dt * start; }
    return arrival - frame.dt * velocity_at(arrival - 0.5 * frame.dt * start);
}
