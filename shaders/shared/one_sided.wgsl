//! One-sided cells
//! Cells whose links lead to one side only along an axis. Reads the inputs of Links of a cell in space.
//! @use shared/around_wide

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
