//! Field from Grid
//! A grid as a field: linear interpolation between its cell centres.
//! Source: none, linear interpolation.
//!
//! @in  grid: Grid<T>       Values at cell centres
//! @out field: Field<T>     The same, at every position

fn stage(position: Vec) -> T {
    return grid_at(position);
}
