//! Dissipate
//! Makes a field decay, solved exactly:  dq/dt = -rate q,  q' = q exp(-rate dt).
//! Source: Stam, Stable Fluids, SIGGRAPH 1999 (dissipation of a substance), here in exponential form.
//!
//! @inout field: Grid<F> = 0                 The field that decays
//! @param rate: f32 = 0.5, soft 0..5         Decay rate; ln(2) / rate is the half-life [1/s]

fn stage(cell: Cell) -> F {
    return field(cell) * exp(-params.rate * frame.dt);
}
