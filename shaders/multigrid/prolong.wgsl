//! Prolong
//! Adds a correction from wider cells, interpolated linearly, but not across walls.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992.
//!
//! @inout pressure: Grid<f32> = 0      Pressure x dt [Pa s]
//! @in    correction: Grid<f32>, open zero        The correction, on cells twice as wide [Pa s]
//! @in    weight: FaceGrid             Face weights of these cells, 0 on walls [m^3/kg]

fn stage(cell: Cell) -> f32 {
    let width = 2.0 * CELL_SIZE;
    let center = (Vec(cell / 2) + 0.5) * width;
    let own = correction_at(center);
    var result = own;
    for (var axis = 0; axis < DIM; axis++) {
        // Each of two cells goes a quarter of the way to the wide neighbour on its side.
        let upper = cell[axis] & 1;
        let neighbor = correction_at(center + f32(2 * upper - 1) * width * Vec(unit(axis)));
        let open = weight_face(cell, 2 * axis + upper) > 0.0;
        result += select(0.0, 0.25 * (neighbor - own), open);
    }
    return pressure(cell) + result;
}
