//! Largest
//! The largest magnitude of a scalar field,  max |q|  over all cells: for instance the size of a residual.
//! Source: none.
//!
//! @in  field: Grid<f32>              Any scalar
//! @out largest: f32, reduce max      Its largest magnitude

fn stage(cell: Cell) -> f32 {
    return abs(field(cell));
}
