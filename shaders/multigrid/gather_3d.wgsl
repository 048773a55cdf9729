//! Gather in Space
//! Carries a residual to cells twice as wide with the weights that interpolate back (Spread Links in Space), transposed.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  residual: Grid<f32>, nearest          Residual of the finer cells [1/s]
//! @in  lower: Grid<vec4f>, nearest           Parts that a cell takes of the lower four of eight wide cells
//! @in  upper: Grid<vec4f>, nearest           Parts of the upper four
//! @out gathered: Grid<f32>, half residual    Residual of the wide cells [1/s]
//! @use shared/wide_shares

fn stage(cell: Cell) -> f32 {
    var sum = 0.0;
    for (var index = 0; index < AROUND; index++) {
        let child = around(cell, index);
        let weight = share(child, cell);
        if weight != 0.0 { sum += weight * residual_at(finer_position(child)); }
    }
    return sum;
}
