//! Reach of Wide Cells
//! Which of the eight cells around a cell of the next level it stands for: those that links lead to without leaving the nine. Interpolation
//! that takes of others (Weights of Links) would lead through walls. A wide cell in a wall reaches none here (Reach in Walls). 2D only.
//! Source: Dick, Rogowsky and Westermann, IEEE Trans. Vis. Comput. Graph. 22, 2016 (wide cells on both sides of thin walls).
//!
//! @in  links: Grid<vec4f>                Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in  sink: Grid<f32>                   Links to open borders [m/kg]
//! @out reach: Grid<u32>, like links      Bits 0 to 8 for the nine cells, x first; zero in cells that are none of the next level
//! @use shared/link_stencil
//! @use shared/positive_links

fn stage(cell: Cell) -> u32 {
    if (cell.x & 1) == 1 || (cell.y & 1) == 1 { return 0u; }
    var around = sink(cell);
    for (var k = 0; k < 8; k++) { around += link(cell, k); }
    if around <= 0.0 { return 0u; }
    // Cells linked to each of the nine.
    var beside = array<u32, 9>();
    for (var i = 0; i < 9; i++) {
        let apart = unit(0) * (i % 3 - 1) + unit(1) * (i / 3 - 1);
        for (var k = 0; k < 8; k++) {
            let other = apart + offset(k);
            if max(abs(other.x), abs(other.y)) > 1 || link(cell + apart, k) <= 0.0 { continue; }
            beside[i] |= 1u << u32(other.x + 1 + 3 * (other.y + 1));
        }
    }
    var reach = 16u;
    for (var step = 0; step < 8; step++) {
        for (var i = 0; i < 9; i++) { reach |= select(0u, beside[i], (reach >> u32(i) & 1u) == 1u); }
    }
    return reach;
}
