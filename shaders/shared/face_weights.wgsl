//! Face weights
//! Sums over the faces of a cell. Reads the input `weight`.

// Sum of a cell's weights: 0 in walls.
fn total_weight(cell: Cell) -> f32 {
    var total = 0.0;
    for (var face = 0; face < FACES; face++) { total += weight_face(cell, face); }
    return total;
}

// Weights of the faces through which a border holds the pressure, that of the blocks that the stage runs in too.
fn open_weight(cell: Cell) -> f32 {
    var open = 0.0;
    for (var face = 0; face < FACES; face++) {
        let axis = face_axis(face);
        open += select(0.0, weight_face(cell, face), open_face(cell + unit(axis) * (face & 1), axis) || !runs_in(neighbor(cell, face)));
    }
    return open;
}
