//! Dissipate
//! Lets a field fade, solved exactly:  dq/dt = -rate q,  q' = q exp(-rate dt).
//! Source: Stam, Stable Fluids, SIGGRAPH 1999 (dissipation of a substance), here in exponential form.
//!
//! @inout field: Grid<T> = 0                 The field that fades
//! @param rate: f32 = 0.5, soft 0..5         Fraction lost a second; ln(2) / rate is the half-life [1/s]

fn stage(cell: Cell) -> T {
    return field(cell) * exp(-params.rate * frame.dt);
}
