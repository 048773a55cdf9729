//! Add Grids
//! The sum of grids, cell by cell:  a + weight b.  With the weight -1 it is the difference.
//! Keywords: sum, subtract, difference, plus
//! Source: none, addition.
//!
//! @in    a: Grid<F>                           A grid
//! @in    b: Grid<F> = 0                       Another, in the same unit
//! @out   sum: Grid<F>, like a                 Their sum
//! @param weight: f32 = 1, soft -2..2          Weight of the second

fn stage(cell: Cell) -> F {
    return a(cell) + b(cell) * params.weight;
}
