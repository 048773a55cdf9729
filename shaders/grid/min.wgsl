//! Minimum of Grids
//! The smaller of two values in each cell:  min(a, b),  of vectors component by component. With a constant it is a bound.
//! Keywords: lower bound, darken
//! Source: none.
//!
//! @in  a: Grid<T>                  A grid
//! @in  b: Grid<T> = 0              Another, in the same unit
//! @out result: Grid<T>, like a       The smaller value in each cell

fn stage(cell: Cell) -> T {
    return min(a(cell), b(cell));
}
