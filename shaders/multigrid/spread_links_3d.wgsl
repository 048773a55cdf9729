//! Spread Links in Space
//! Adds a correction from cells twice as wide, interpolated with the weights of their links: smooth where the density is, and with a kink where it jumps.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @inout pressure: Grid<f32> = 0                     Pressure x dt [Pa s]
//! @in    correction: Grid<f32>, open zero, nearest   The correction, on cells twice as wide [Pa s]
//! @in    lower: Grid<vec4f>                          Parts that a cell takes of the lower four of eight wide cells
//! @in    upper: Grid<vec4f>                          Parts of the upper four

fn stage(cell: Cell) -> f32 {
    let low = lower(cell);
    let high = upper(cell);
    var sum = pressure(cell);
    for (var corner = 0; corner < 4 * (DIM - 1); corner++) {
        let part = select(low[corner & 3], high[corner & 3], corner > 3);
        if part == 0.0 { continue; }
        var wide = Vec(cell / 2) + 0.5;
        for (var axis = 0; axis < DIM; axis++) { wide[axis] += f32((corner >> u32(axis)) & 1); }
        sum += part * correction_at(wide * 2.0 * CELL_SIZE);
    }
    return sum;
}
