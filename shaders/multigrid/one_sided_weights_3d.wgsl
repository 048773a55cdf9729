//! Weights of One-sided Cells
//! Interpolation along oblique walls in space. By Weights of Links in Space alone the pressure along them would be constant in steps, so a cell whose links lead
//! to one side only, along an axis along which it does not lie between wide cells, takes of the wide cells on that side too: by all its links, and what the cells
//! that they lead to take. Its wide cells may begin one lower than at half its index; how its parts say so is told by Shifted parts. In a second iteration
//! wide cells two away from such cells are marked. In 2D Weights of Links does both.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (interpolation by all links).
//!
//! @in    links_a: Grid<vec4f>             Links to the cells at +x, +y and +z, and the sink [m/kg]
//! @in    links_b: Grid<vec4f> = 0         Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in    links_c: Grid<vec4f> = 0         Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in    links_d: Grid<vec4f> = 0         Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @in    reach: Grid<u32> = 0             Bits for the 27 cells around each wide cell, x first: which of them it stands for (Reach of Wide Cells in Space)
//! @inout lower: Grid<vec4f>, radius 2     Parts of the lower four of eight wide cells, from Weights of Links in Space; those of one-sided cells, and of wide cells two away from these, get a minus sign
//! @inout upper: Grid<vec4f>, radius 2     Parts of the upper four
//! @iterations 2
//! @use shared/link_parts
//! @use shared/shifted_parts
//! @use shared/within_two

fn stage(cell: Cell) -> Result {
    let same = Result(lower(cell), upper(cell));
    if is_wide(cell) {
        if iteration == 0 || !serves_far(cell) { return same; }
        return Result(vec4f(-1.0, 0.0, 0.0, 0.0), vec4f());
    }
    if iteration > 0 { return same; }
    let odd = between_wide(cell);
    let side = sides(cell, odd);
    if all(side == Cell()) { return same; }
    let parts = parts_by_links(cell, odd, side);
    if !parts.told { return same; }
    return Result(mark(side) * parts.lower, mark(side) * parts.upper);
}

// Along each axis between which a cell does not lie: 1 or -1 where its links lead to that side only. Two linked cells with opposite sides keep none:
// they would link wide cells that are two apart. A sink is on both sides.
fn sides(cell: Cell, odd: Cell) -> Cell {
    var side = Cell();
    if links_a(cell).w > 0.0 { return side; }
    let ties = ties_of(cell, odd);
    for (var axis = 0; axis < DIM; axis++) { side[axis] = side_by(ties, axis); }
    var kept = side;
    // As trips of a loop: software drivers skip loops that no cell runs, but no other code.
    for (var k = 0; k < clamp(select(0, 2 * KEPT, any(side != Cell())), 0, 2 * KEPT); k++) {
        let other = cell + offset(k);
        if is_wide(other) || link(cell, k) == 0.0 { continue; }
        let beside = ties_of(other, abs(offset(k)) + 1 - abs(side));
        for (var axis = 0; axis < DIM; axis++) {
            if side[axis] != 0 && side_by(beside, axis) == -side[axis] { kept[axis] = 0; }
        }
    }
    return kept;
}

// Bits 0 to 2 for links of a cell upwards along the axes, and 3 to 5 downwards. Negative links count too, and so do borders; both bits are set along axes to skip.
fn ties_of(cell: Cell, skipped: Cell) -> u32 {
    var ties = 0u;
    for (var axis = 0; axis < DIM; axis++) {
        if skipped[axis] > 0 || cell[axis] == 0 || cell[axis] == RESOLUTION[axis] - 1 { ties |= 9u << u32(axis); }
    }
    for (var k = 0; k < KEPT; k++) {
        // Those across faces come first: mostly there are all.
        if countOneBits(ties) == 2u * u32(DIM) { break; }
        if !links_b_wired && k > 2 { continue; }
        let ahead = u32(link(cell, k) != 0.0);
        let behind = u32(link(cell, k + KEPT) != 0.0);
        for (var axis = 0; axis < DIM; axis++) {
            let way = offset(k)[axis];
            if way > 0 { ties |= (ahead | behind << 3u) << u32(axis); }
            if way < 0 { ties |= (behind | ahead << 3u) << u32(axis); }
        }
    }
    return ties;
}

// 1 or -1 for links to one side along an axis only, else 0.
fn side_by(ties: u32, axis: i32) -> i32 {
    return i32(ties >> u32(axis) & 1u) - i32(ties >> u32(axis + 3) & 1u);
}

// What the parts of a one-sided cell are multiplied by (Shifted parts).
fn mark(side: Cell) -> f32 {
    var lowered = 0;
    for (var axis = 0; axis < DIM; axis++) { lowered |= i32(side[axis] < 0) << u32(axis); }
    return -1.0 / f32(1 << u32(lowered));
}

// Whether one-sided cells two away from a wide cell may take of it.
fn serves_far(wide: Cell) -> bool {
    for (var index = 0; index < WITHIN_TWO; index++) {
        let away = two_apart(index);
        if all(abs(away) < Cell(2)) { continue; }
        if are_marked(lower(wide + away), upper(wide + away)) { return true; }
    }
    return false;
}
