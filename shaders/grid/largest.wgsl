//! Largest
//! The largest magnitude in a field: how far a solver is off, how fast a flow is.
//! Source: definition.
//!
//! @in  field: Grid<f32>             Any field
//! @out largest: f32, reduce max     Its largest value, the sign left out

fn stage(cell: Cell) -> f32 {
    return abs(field(cell));
}
