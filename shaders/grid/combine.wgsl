//! Combine Grids
//! Numbers as the components of a vector in each cell. In 2D z does not count.
//! Keywords: combine XYZ, merge, make vector
//! Source: none.
//!
//! @in    x: Grid<f32> = 0     First component
//! @in    y: Grid<f32> = 0     Second component
//! @in    z: Grid<f32> = 0     Third component
//! @out   result: Grid<Vec>    The vector

fn stage(cell: Cell) -> Vec {
    var vector = Vec();
    vector.x = x(cell);
    vector.y = y(cell);
    if DIM == 3 { vector[DIM - 1] = z(cell); }
    return vector;
}
