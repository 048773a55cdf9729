//! Fill Shape
//! Sets a field to a value wherever a shape is,  q = value  where the signed distance is negative, and leaves it alone elsewhere: a
//! source of smoke, a hot body, a mask.
//! Source: none.
//!
//! @inout field: Grid<T> = 0      The field that is set
//! @in    shape: Field<f32>       Signed distance, negative inside [m]
//! @in    value: Grid<T> = 1      What it becomes: one value for all cells, or another field

fn stage(cell: Cell) -> T {
    if shape(position(cell)) < 0.0 { return value(cell); }
    return field(cell);
}
