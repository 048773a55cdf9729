//! Shortfall
//! How far the fractions of a cell are from filling it:  1 - V_f - V_g,  0 in walls. The correction's pressure solve takes it as its divergence.
//! Source: saharan, oil clock article, 2016, step 11.
//!
//! @in  fractions: Grid<vec2f>                   Volume fractions V_f and V_g
//! @in  open: Grid<f32> = 1                      1 in cells that fluid can fill, 0 in walls
//! @out shortfall: Grid<f32>, like fractions     Part of the cell that is empty, negative where it is too full

fn stage(cell: Cell) -> f32 {
    let v = fractions(cell);
    return select(0.0, 1.0 - v.x - v.y, open(cell) > 0.5);
}
