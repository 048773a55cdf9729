//! Maximum of Grids
//! The larger of two values in each cell:  max(a, b),  of vectors component by component. With a constant it is a bound.
//! Keywords: upper bound, lighten
//! Source: none.
//!
//! @in  a: Grid<T>                  A grid
//! @in  b: Grid<T> = 0              Another, in the same unit
//! @out result: Grid<T>, like a       The larger value in each cell

fn stage(cell: Cell) -> T {
    return max(a(cell), b(cell));
}
