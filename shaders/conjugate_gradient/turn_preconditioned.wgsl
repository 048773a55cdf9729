//! Turn (preconditioned)
//! The next direction, conjugate to those before:  d = z + b d,  b = (-r z) of this step / of the one before; b = 0 in the first.
//! Source: Shewchuk, An Introduction to the Conjugate Gradient Method Without the Agonizing Pain, 1994, B3 (Fletcher and Reeves).
//!
//! @inout direction: Grid<f32>        d
//! @in    correction: Grid<f32>       Preconditioned residual z
//! @in    before: vec4f               Measures of the step before, 0 in the first
//! @in    now: vec4f                  Measures of this step

fn stage(cell: Cell) -> f32 {
    let turn = select(0.0, now().x / max(before().x, 1e-37), before().x > 1e-37);
    return correction(cell) + turn * direction(cell);
}
