//! Field from Grid
//! Evaluates a grid at any position by linear interpolation between its cell centres.
//! Keywords: sample, interpolate
//! Source: none, linear interpolation.
//!
//! @in  grid: Grid<T>       Values at cell centres
//! @out field: Field<T>     The interpolated values

fn stage(position: Vec) -> T {
    return grid_at(position);
}
