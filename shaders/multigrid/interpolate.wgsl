//! Interpolate
//! Adds a correction that was found on wider cells, linear between their centres. Without walls inside; with them, Prolong.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992, ch. 5.
//!
//! @inout pressure: Grid<f32> = 0      Pressure x dt / density [m^2/s]
//! @in    correction: Grid<f32>        What to add, on cells twice as wide [m^2/s]

fn stage(cell: Cell) -> f32 {
    return pressure(cell) + correction_at(position(cell));
}
