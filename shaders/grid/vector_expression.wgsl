//! Vector Expression Grid
//! A vector in every cell:  value(x, a, b).  The expression may name position [m], a, b, time, and number nodes.
//! Keywords: formula, math, wrangle, custom
//! Source: none.
//!
//! @in    a: Grid<Vec> = 0                  A grid of vectors that the expression can name
//! @in    b: Grid<f32> = 0                  A grid that the expression can name
//! @out   result: Grid<Vec>                 The vector at cell centres
//! @param value: formula<Vec> = "position"  The expression, such as a + [0, b]

fn stage(cell: Cell) -> Vec {
    return value(position(cell), a(cell), b(cell));
}
