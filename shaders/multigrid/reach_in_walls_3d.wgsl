//! Reach in Walls in Space
//! A wide cell in a wall, which has no links, stands for one connected part of the 26 cells around it: for one with cells that no other wide
//! cell reaches (Reach of Wide Cells in Space), or else for the largest. So channels of one cell between walls are seen by the next level.
//! Source: Dick, Rogowsky and Westermann, IEEE Trans. Vis. Comput. Graph. 22, 2016 (wide cells on both sides of thin walls).
//!
//! @in    links_a: Grid<vec4f>          Links to the cells at +x, +y and +z, and the sink [m/kg]
//! @in    links_b: Grid<vec4f> = 0      Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in    links_c: Grid<vec4f> = 0      Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in    links_d: Grid<vec4f> = 0      Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @in    reach: Grid<u32>              Bits 0 to 26 for the 27 cells around each cell of the next level, x first
//! @out   stands: Grid<u32>, like links_a    The same, also of wide cells in walls
//! @use shared/around_wide

fn stage(cell: Cell) -> u32 {
    if !is_wide(cell) || reach(cell) != 0u { return reach(cell); }
    var beside = array<u32, 27>();
    var open = 0u;
    var alone = 0u;
    for (var i = 0; i < AROUND; i++) {
        let here = cell + apart(i);
        if !exists(here) { continue; }
        beside[i] = linked(cell, i);
        if beside[i] == 0u && !is_open(here) { continue; }
        open |= 1u << u32(i);
        alone |= select(1u << u32(i), 0u, reached(here));
    }
    var best = 0u;
    var most = 0u;
    var left = open;
    for (var part = 0; part < 8; part++) {
        if left == 0u { break; }
        let found = flooded(1u << firstTrailingBit(left), &beside);
        left &= ~found;
        let score = countOneBits(found) + 32u * countOneBits(found & alone);
        if score > most {
            most = score;
            best = found;
        }
    }
    return best;
}

// Whether a cell has links at all.
fn is_open(cell: Cell) -> bool {
    if links_a(cell).w > 0.0 { return true; }
    for (var k = 0; k < 2 * KEPT; k++) {
        if !links_b_wired && k % KEPT > 2 { continue; }
        if link(cell, k) > 0.0 { return true; }
    }
    return false;
}

// Whether a cell of the next level with links of its own stands for a cell.
fn reached(cell: Cell) -> bool {
    for (var i = 0; i < AROUND; i++) {
        let wide = cell - apart(i);
        if !is_wide(wide) || !exists(wide) { continue; }
        if (reach(wide) >> u32(i) & 1u) == 1u { return true; }
    }
    return false;
}
