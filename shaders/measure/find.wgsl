//! Find a Value
//! Index of the first cell that holds a value, x fastest: the number of cells before it. 4294967295 if none does.
//! Source: none.
//!
//! @in  field: Grid<f32>                Any scalar
//! @in  value: f32                      The value, to the bit, such as the greatest
//! @out index: u32, reduce min          Index of the first cell that holds it

fn stage(cell: Cell) -> u32 {
    return select(0xffffffffu, index(cell), field(cell) == value());
}

fn index(cell: Cell) -> u32 {
    var index = 0;
    for (var axis = DIM - 1; axis >= 0; axis--) { index = index * RESOLUTION[axis] + cell[axis]; }
    return u32(index);
}
