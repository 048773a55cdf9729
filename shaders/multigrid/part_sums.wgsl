//! Sums of Parts
//! Sums a divergence over each closed part, as whole numbers: they do not depend on the order, and have the digits of the largest divergence in parts of
//! any size. One cell of each block of 16, or of 128 on large grids, sums up the block, so few invocations add to the same number.
//! Source: none.
//!
//! @in  part: Grid<u32> = 0                    Labels (Connected Parts)
//! @in  divergence: Grid<f32>                  Outflow per volume [1/s]
//! @in  largest: f32                           Its largest magnitude [1/s]
//! @out sum: Grid<i32>, scatter, like divergence     Sum in the part's first cell, in steps of 1/2^12 of 128 times the largest
//! @out rest: Grid<i32>, scatter, like divergence    What these steps leave, in steps of 1/2^24
//! @out count: Grid<u32>, scatter, like divergence   How many cells the part has
//! @use shared/cell_index

fn stage(cell: Cell) {
    var cells = 1;
    for (var axis = 0; axis < DIM; axis++) { cells *= RESOLUTION[axis]; }
    // Bits of a block's cells along y, and in space along z: a larger one takes longer, many small ones wait for each other.
    let large = cells > 131072;
    let along = select(select(4u, 7u, large), select(2u, 3u, large), DIM == 3);
    let deep = select(0u, select(2u, 4u, large), DIM == 3);
    let leads = (cell.y & ((1 << along) - 1)) == 0 && (cell[DIM - 1] & ((1 << deep) - 1)) == 0;
    if !leads { return; }
    var label = 0u;
    var sum = 0.0;
    var count = 0u;
    // Eight cells are read before the first is looked at, so that their reads wait for memory together.
    var labels: array<u32, 8>;
    var values: array<f32, 8>;
    for (var i = 0; i < (1 << (along + deep)); i += 8) {
        for (var k = 0; k < 8; k++) {
            // Invocations beside each other read cells beside each other.
            let there = cell + select(unit(1) * (i + k), unit(1) * ((i + k) & ((1 << along) - 1)) + unit(DIM - 1) * ((i + k) >> along), DIM == 3);
            let within = inside(there);
            let here = select(cell, there, within);
            labels[k] = select(0u, part(here), within);
            values[k] = divergence(here);
        }
        // Stretches of one label. `put` stands once for all eight cells: a copy for each would be most of the kernel.
        var next = 0;
        for (var stretch = 0; stretch < 9; stretch++) {
            for (var k = 0; k < 8; k++) {
                if k != next || labels[k] != label { continue; }
                sum += values[k];
                count += 1u;
                next = k + 1;
            }
            if next == 8 { break; }
            put(label, sum, count);
            for (var k = 0; k < 8; k++) { if k == next { label = labels[k]; } }
            sum = 0.0;
            count = 0u;
        }
    }
    put(label, sum, count);
}

fn put(label: u32, sum: f32, count: u32) {
    if label == 0u || label == 0xffffffffu { return; }
    let first = first_cell(label);
    add_count(first, count);
    // NaN and infinity are not added: the solver shows them.
    let steps = sum / max(128.0 * largest(), 1e-37) * 4096.0;
    if !finite(sum) || !finite(largest()) { return; }
    add_sum(first, i32(round(steps)));
    add_rest(first, i32(round((steps - round(steps)) * 4096.0)));
}

fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}
