//! Extrema
//! Greatest and least value of a scalar. For their places see Place of a Value.
//! Source: none.
//!
//! @in  field: Grid<f32>                Any scalar
//! @out greatest: f32, reduce max       Greatest value
//! @out least: f32, reduce min          Least value

fn stage(cell: Cell) -> Result {
    return Result(field(cell), field(cell));
}
