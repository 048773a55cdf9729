//! Multiply Grids
//! The product of grids, cell by cell:  factor a b,  of vectors component by component.
//! Keywords: product, mask, times
//! Source: none, multiplication.
//!
//! @in    a: Grid<F>                           A grid
//! @in    b: Grid<F> = 1                       Another
//! @out   product: Grid<F>, like a             Their product
//! @param factor: f32 = 1, soft -4..4          Factor

fn stage(cell: Cell) -> F {
    return a(cell) * b(cell) * params.factor;
}
