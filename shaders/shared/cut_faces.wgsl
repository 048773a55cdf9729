//! Cut faces
//! Faces that an obstacle cuts. Reads the inputs `fraction` and `distance`.

// Open part of the lower faces of a cell. Obstacle closes the border of the domain too, but here its sides rule.
fn opened(cell: Cell) -> Vec {
    var part = select(Vec(), fraction(cell), distance(cell) > Vec());
    for (var axis = 0; axis < DIM; axis++) {
        if wall_face(cell, axis) && distance(cell)[axis] > 0.0 { part[axis] = 1.0; }
    }
    return part;
}

// Mean distance of whole faces, from that of their open part, as if the obstacle cut them parallel to an edge.
fn centre(cell: Cell) -> Vec {
    let part = opened(cell);
    let d = distance(cell);
    let whole = max(d * (2.0 - 1.0 / max(part, Vec(1e-6))), Vec(-0.75 * CELL_SIZE));
    return select(d, whole, (part > Vec()) & (part < Vec(1.0)));
}
