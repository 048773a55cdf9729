//! Prolong
//! Adds a correction that was found on wider cells: linear between their centres, but not across walls.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992.
//!
//! @inout pressure: Grid<f32> = 0      Pressure x dt [Pa s]
//! @in    correction: Grid<f32>        What to add, on cells twice as wide [Pa s]
//! @in    weight: FaceGrid             Face weights of the wider cells, 0 on walls [m^3/kg]

fn stage(cell: Cell) -> f32 {
    let width = 2.0 * CELL_SIZE;
    let wide = Vec(cell / 2);
    let center = (wide + 0.5) * width;
    let own = correction_at(center);
    var result = own;
    for (var axis = 0; axis < DIM; axis++) {
        let side = select(-1.0, 1.0, (cell[axis] & 1) == 1) * Vec(unit(axis));
        let open = weight_at(center + 0.5 * width * side)[axis] > 0.0;
        result += select(0.0, 0.25 * (correction_at(center + width * side) - own), open);
    }
    return pressure(cell) + result;
}
