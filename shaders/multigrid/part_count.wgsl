//! Number of Parts
//! How many closed parts the fluid has.
//! Source: none.
//!
//! @in  part: Grid<u32>             Labels (Connected Parts)
//! @out parts: u32, reduce sum      Closed parts

fn stage(cell: Cell) -> u32 {
    var index = 0;
    for (var axis = DIM - 1; axis >= 0; axis--) { index = index * RESOLUTION[axis] + cell[axis]; }
    // A part has the name of its first cell.
    return select(0u, 1u, part(cell) == u32(index) + 1u);
}
