//! Reach of Wide Cells in Space
//! Which of the 26 cells around a cell of the next level it stands for: those that links lead to without leaving the 27. Interpolation that takes of others
//! (Weights of Links in Space) would lead through walls. A wide cell in a wall reaches none here (Reach in Walls in Space).
//! Source: Dick, Rogowsky and Westermann, IEEE Trans. Vis. Comput. Graph. 22, 2016 (wide cells on both sides of thin walls).
//!
//! @in  links_a: Grid<vec4f>              Links to the cells at +x, +y and +z, and the sink [m/kg]
//! @in  links_b: Grid<vec4f> = 0          Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in  links_c: Grid<vec4f> = 0          Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in  links_d: Grid<vec4f> = 0          Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @out reach: Grid<u32>, like links_a    Bits 0 to 26 for the 27 cells, x first; zero in cells that are none of the next level
//! @use shared/around_wide

const MIDDLE = (AROUND - 1) / 2;

fn stage(cell: Cell) -> u32 {
    if !is_wide(cell) { return 0u; }
    var beside = array<u32, 27>();
    for (var k = 0; k < AROUND; k++) {
        let i = (MIDDLE + k) % AROUND;
        beside[i] = linked(cell, i);
        if k == 0 && beside[i] == 0u && links_a(cell).w <= 0.0 { return 0u; }
    }
    return flooded(1u << u32(MIDDLE), &beside);
}
