//! Spread Links
//! Adds a correction from cells twice as wide, interpolated with the weights of their links: smooth where the density is, and with a kink where it jumps. 2D only.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @inout pressure: Grid<f32> = 0      Pressure x dt [Pa s]
//! @in    correction: Grid<f32>, open zero        The correction, on cells twice as wide [Pa s]
//! @in    weights: Grid<vec4f>         Parts that a cell takes of wide cells (Weights of Links)

fn stage(cell: Cell) -> f32 {
    let width = 2.0 * CELL_SIZE;
    let parts = weights(cell);
    // With a minus sign it takes of wide cells one lower, across the line of two it is on.
    let lower = select(Cell(), select(unit(1), unit(0), (cell.x & 1) == 0), any(parts < vec4f()));
    let middle = (Vec(cell / 2 - lower) + 0.5) * width;
    let along = width * Vec(unit(0));
    let up = width * Vec(unit(1));
    let taken = vec4f(correction_at(middle), correction_at(middle + along), correction_at(middle + up), correction_at(middle + along + up));
    return pressure(cell) + dot(abs(parts), taken);
}
