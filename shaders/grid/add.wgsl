//! Add Grids
//! The sum of grids, cell by cell:  a + weight b.  With the weight -1 it is the difference.
//! Keywords: sum, subtract, difference, plus
//! Source: none, addition.
//!
//! @in    a: Grid<T>                           A grid
//! @in    b: Grid<T> = 0                       Another, in the same unit
//! @out   sum: Grid<T>, like a                 Their sum
//! @param weight: f32 = 1, soft -2..2          Weight of the second

fn stage(cell: Cell) -> T {
    return a(cell) + b(cell) * params.weight;
}
