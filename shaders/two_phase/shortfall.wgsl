//! Shortfall
//! How much volume is missing in a cell:  1 - V_f - V_g,  0 in walls. The correction's pressure solver uses it as the divergence.
//! Source: saharan, oil clock article, 2016, step 11.
//!
//! @in  fractions: Grid<vec2f>                   Volume fractions V_f and V_g
//! @in  open: Grid<f32> = 1                      1 in cells that fluid can fill, 0 in walls
//! @out shortfall: Grid<f32>, like fractions     Empty fraction of the cell; negative where it is too full

fn stage(cell: Cell) -> f32 {
    let v = fractions(cell);
    return select(0.0, 1.0 - v.x - v.y, open(cell) > 0.5);
}
