//! Coarse Parts
//! Labels of cells twice as wide: each stands for the part that most of its cells belong to, so that no correction passes from a room to another.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992 (finite volumes).
//!
//! @in  weight: FaceGrid                   Face weights of these cells
//! @in  part: Grid<u32> = 0                Labels (Connected Parts)
//! @out coarse: Grid<u32>, half weight     Labels of the wider cells

fn stage(cell: Cell) -> u32 {
    var best = 0xffffffffu;
    var most = 0;
    for (var i = 0; i < 8; i++) {
        if DIM == 2 && i > 3 { break; }
        let label = label_of(cell, i);
        if label == 0xffffffffu { continue; }
        var count = 0;
        for (var k = 0; k < 8; k++) { count += i32((DIM == 3 || k < 4) && label_of(cell, k) == label); }
        if count > most || (count == most && label < best) {
            most = count;
            best = label;
        }
    }
    return best;
}

// Label of one of the cells below. The last of an odd number of wide cells has some beyond the domain.
fn label_of(cell: Cell, i: i32) -> u32 {
    var child = 2 * cell;
    for (var axis = 0; axis < DIM; axis++) {
        child[axis] += (i >> u32(axis)) & 1;
        let finer = (FINEST[axis] + WIDENING / 2 - 1) / (WIDENING / 2);
        if child[axis] >= finer { return 0xffffffffu; }
    }
    return part_at((Vec(child) + 0.5) * (0.5 * CELL_SIZE));
}
