//! Reach in Walls
//! A wide cell in a wall, which has no links, stands for one connected part of the eight cells around it: for one with cells that no other wide
//! cell reaches (Reach of Wide Cells), or else for the larger. So channels of one cell between walls are seen by the next level. 2D only.
//! Source: Dick, Rogowsky and Westermann, IEEE Trans. Vis. Comput. Graph. 22, 2016 (wide cells on both sides of thin walls).
//!
//! @in    links: Grid<vec4f>     Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in    sink: Grid<f32>        Links to open borders [m/kg]
//! @inout reach: Grid<u32>       Bits 0 to 8 for the nine cells around each cell of the next level, x first
//! @use shared/link_stencil
//! @use shared/positive_links

fn stage(cell: Cell) -> u32 {
    if (cell.x & 1) == 1 || (cell.y & 1) == 1 || reach(cell) != 0u { return reach(cell); }
    var beside = array<u32, 9>();
    var open = 0u;
    var alone = 0u;
    for (var i = 0; i < 9; i++) {
        let apart = unit(0) * (i % 3 - 1) + unit(1) * (i / 3 - 1);
        let here = cell + apart;
        if !exists(here) { continue; }
        var around = sink(here);
        for (var k = 0; k < 8; k++) {
            let l = link(here, k);
            let other = apart + offset(k);
            around += l;
            if max(abs(other.x), abs(other.y)) > 1 || l <= 0.0 { continue; }
            beside[i] |= 1u << u32(other.x + 1 + 3 * (other.y + 1));
        }
        if around <= 0.0 { continue; }
        open |= 1u << u32(i);
        alone |= select(1u << u32(i), 0u, reached(here));
    }
    var best = 0u;
    var most = 0u;
    var left = open;
    for (var part = 0; part < 4; part++) {
        if left == 0u { break; }
        var found = 1u << firstTrailingBit(left);
        for (var step = 0; step < 8; step++) {
            for (var i = 0; i < 9; i++) { found |= select(0u, beside[i], (found >> u32(i) & 1u) == 1u); }
        }
        left &= ~found;
        let score = countOneBits(found) + 16u * countOneBits(found & alone);
        if score > most {
            most = score;
            best = found;
        }
    }
    return best;
}

// Whether a cell of the next level with links of its own stands for a cell.
fn reached(cell: Cell) -> bool {
    for (var i = 0; i < 9; i++) {
        let apart = unit(0) * (i % 3 - 1) + unit(1) * (i / 3 - 1);
        let wide = cell - apart;
        if (wide.x & 1) == 1 || (wide.y & 1) == 1 || !exists(wide) { continue; }
        if (reach(wide) >> u32(i) & 1u) == 1u { return true; }
    }
    return false;
}
