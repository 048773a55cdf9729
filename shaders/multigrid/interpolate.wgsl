//! Interpolate
//! Adds a correction from wider cells, interpolated linearly. For domains without inner walls; otherwise use Prolong.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992, ch. 5.
//!
//! @inout pressure: Grid<f32> = 0      Pressure x dt / density [m^2/s]
//! @in    correction: Grid<f32>, open zero        The correction, on cells twice as wide [m^2/s]

fn stage(cell: Cell) -> f32 {
    return pressure(cell) + correction_at(position(cell));
}
