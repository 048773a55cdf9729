//! Fill Shape
//! Sets a field to a value inside a shape:  q = value  where the signed distance is negative; other cells do not change. For a
//! source of smoke, a hot body, or a mask.
//! Source: none.
//!
//! @inout field: Grid<T> = 0      The field that is set
//! @in    shape: Field<f32>       Signed distance, negative inside [m]
//! @in    value: Grid<T> = 1      The value: one for all cells, or another field

fn stage(cell: Cell) -> T {
    if shape(position(cell)) < 0.0 { return value(cell); }
    return field(cell);
}
