//! Prolong in Parts
//! Adds a correction from wider cells, interpolated linearly between those that stand for the cell's own part (Coarse Faces, Coarse Weight), and not across walls. A
//! cell in a wide cell of another part takes the mean of the wide cells beside it that stand for its own.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992.
//!
//! @inout pressure: Grid<f32> = 0                          Pressure x dt [Pa s]
//! @in    correction: Grid<f32>, open zero, nearest        The correction, on cells twice as wide [Pa s]
//! @in    weight: FaceGrid                                 Face weights of these cells, 0 on walls [m^3/kg]
//! @in    part: Grid<u32> = 0                              Labels (Connected Parts)
//! @in    coarse: Grid<u32>                                Labels of the wider cells (Coarse Faces, Coarse Weight)

fn stage(cell: Cell) -> f32 {
    let center = (Vec(cell / 2) + 0.5) * 2.0 * CELL_SIZE;
    let own = correction_at(center);
    var change = 0.0;
    var sum = 0.0;
    var count = 0.0;
    for (var axis = 0; axis < DIM; axis++) {
        // Each of two cells goes a quarter of the way to the wide neighbour on its side.
        let upper = cell[axis] & 1;
        let side = center + f32(4 * upper - 2) * CELL_SIZE * Vec(unit(axis));
        let out = open_face(cell + unit(axis) * upper, axis);
        if weight_face(cell, 2 * axis + upper) > 0.0 && (out || coarse_at(side) == part(cell)) {
            change += 0.25 * (correction_at(side) - own);
            sum += correction_at(side);
            count += 1.0;
        }
    }
    return pressure(cell) + select(sum / max(count, 1.0), own + change, coarse_at(center) == part(cell));
}
