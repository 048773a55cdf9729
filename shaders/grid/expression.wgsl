//! Expression Grid
//! A number in every cell:  value(x, a, b).  The expression may name position [m], a, b, time, and number nodes.
//! Keywords: formula, math, wrangle, custom
//! Source: none.
//!
//! @in    a: Grid<f32> = 0                  A grid that the expression can name
//! @in    b: Grid<f32> = 0                  A grid that the expression can name
//! @out   result: Grid<f32>                 The value at cell centres
//! @param value: formula = "position.x"     The expression, such as a * (1 - b)

fn stage(cell: Cell) -> f32 {
    return value(position(cell), a(cell), b(cell));
}
