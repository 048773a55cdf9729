//! Field from Grid
//! Evaluates a grid at any position by linear interpolation between its cell centres.
//! Keywords: sample, interpolate
//! Source: none, linear interpolation.
//!
//! @in  grid: Grid<F>       Values at cell centres
//! @out field: Field<F>     The interpolated values

fn stage(position: Vec) -> F {
    return grid_at(position);
}
