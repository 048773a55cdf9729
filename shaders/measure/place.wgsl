//! Place of a Value
//! Centre of the cell in which Find a Value found it.
//! Source: none.
//!
//! @in  field: Grid<f32>                The grid that was searched
//! @in  value: f32                      The value that was found
//! @in  index: u32                      Index of its cell, from Find a Value
//! @out place: Vec, reduce sum          Its centre [m]; 0 if there is no such cell

fn stage(cell: Cell) -> Vec {
    return select(Vec(), position(cell), field(cell) == value() && own_index(cell) == index());
}

fn own_index(cell: Cell) -> u32 {
    var index = 0;
    for (var axis = DIM - 1; axis >= 0; axis--) { index = index * RESOLUTION[axis] + cell[axis]; }
    return u32(index);
}
