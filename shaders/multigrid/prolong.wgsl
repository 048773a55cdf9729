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
    let near = weights(center);
    var result = own;
    for (var axis = 0; axis < DIM; axis++) {
        let side = select(-1.0, 1.0, (cell[axis] & 1) == 1) * Vec(unit(axis));
        let other = center + width * side;
        // A position rounds, so a closed face shows some millionths of those beside it.
        let open = weight_at(center + 0.5 * width * side)[axis] > 0.001 * (near + weights(other));
        result += select(0.0, 0.25 * (correction_at(other) - own), open);
    }
    return pressure(cell) + result;
}

// The mean weights of a wide cell's faces, summed over the axes.
fn weights(center: Vec) -> f32 {
    return dot(weight_at(center), Vec(1.0));
}
