//! Balance Coarse Parts
//! Subtracts the mean over each closed part from the right-hand side of the coarsest level. It has few cells, so each sums over all of them.
//! Source: Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 7 (Neumann boundary conditions).
//!
//! @in  divergence: Grid<f32>                    Outflow per volume [1/s]
//! @in  part: Grid<u32>                          Labels (Coarse Faces, Coarse Weight)
//! @out balanced: Grid<f32>, like divergence     The same without the mean of its part [1/s]

fn stage(cell: Cell) -> f32 {
    let own = part(cell);
    if own == 0u || own == 0xffffffffu { return select(0.0, divergence(cell), own == 0u); }
    var sum = 0.0;
    var count = 0.0;
    var all = 1;
    for (var axis = 0; axis < DIM; axis++) { all *= RESOLUTION[axis]; }
    // A level of more cells is too large for this, and takes little from the mean.
    let cells = select(all, 0, all > 16384);
    for (var begin = 0; begin < clamp(cells, 0, 16384); begin += 8) {
        // Eight at a time, so that a GPU waits for memory once for all of them.
        for (var k = 0; k < 8; k++) {
            let at = begin + k;
            let row = at / RESOLUTION[0];
            let other = at % RESOLUTION[0] * unit(0) + row % RESOLUTION[1] * unit(1) + select(0, row / RESOLUTION[1], DIM == 3) * unit(DIM - 1);
            let same = at < cells && part(other) == own;
            sum += select(0.0, divergence(other), same);
            count += select(0.0, 1.0, same);
        }
    }
    return divergence(cell) - sum / max(count, 1.0);
}
