//! Clamp Grid
//! Keeps values between two bounds in each cell:  min(max(a, low), high),  of vectors component by component.
//! Keywords: limit, range, saturate
//! Source: none.
//!
//! @in    a: Grid<T>                     Any values
//! @out   result: Grid<T>, like a        The values within the bounds
//! @param low: f32 = 0, soft -10..10     Lower bound
//! @param high: f32 = 1, soft -10..10    Upper bound; it wins where it is below the lower one

fn stage(cell: Cell) -> T {
    return min(max(a(cell), T(params.low)), T(params.high));
}
