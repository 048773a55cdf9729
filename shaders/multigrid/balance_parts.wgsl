//! Balance Parts
//! Subtracts from a divergence its mean over each closed part of the fluid, which no pressure can remove. Walls get zero. A part with a net source
//! is found: one that adds more than a hundredth of a cell in a frame, and more than roundings to 16 bits.
//! Source: Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 7 (Neumann boundary conditions).
//!
//! @in  divergence: Grid<f32>                Outflow per volume [1/s]
//! @in  part: Grid<u32> = 0                  Labels (Connected Parts)
//! @in  total: Grid<i32>                     Sum over each part (Sums of Parts)
//! @in  rest: Grid<i32>                      What its steps leave
//! @in  count: Grid<u32>                     Cells of each part
//! @in  largest: f32                         Largest magnitude of the divergence [1/s]
//! @out balanced: Grid<f32>, like divergence  The divergence that a pressure can remove [1/s]
//! @out source: u32, reduce max              Label of a closed part with a net source, 0 if there is none
//! @out parts: u32, reduce sum               How many closed parts there are
//! @param least: f32 = 0.000001, 0..1        A mean that is a smaller part of the largest magnitude is rounding, and stays
//! @use shared/cell_index

fn stage(cell: Cell) -> Result {
    let label = part(cell);
    if label == 0xffffffffu { return Result(0.0, 0u, 0u); }
    if label == 0u { return Result(divergence(cell), 0u, 0u); }
    let first = first_cell(label);
    let sum = (f32(total(first)) + f32(rest(first)) / 4096.0) * largest() / 32.0;
    let count = f32(max(count(first), 1u));
    // Roundings of a flow without divergence are less.
    let grows = abs(sum) * frame.dt > 0.01 && abs(sum) > 0.001 * largest() * sqrt(count);
    let mean = select(0.0, sum / count, abs(sum) > params.least * count * largest());
    // A cell alone is its own mean, without the rounding of sums.
    let balanced = select(divergence(cell) - mean, 0.0, count == 1.0);
    return Result(balanced, select(0u, label, grows), select(0u, 1u, all(cell == first)));
}
