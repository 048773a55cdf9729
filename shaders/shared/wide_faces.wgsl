//! Faces of wide cells
//! Faces of cells on a coarse level that reach beyond the domain.

// Weight of a face: its part inside the domain, over the way between the middles of what the two cells have inside it.
fn across(cell: Cell, face: i32) -> f32 {
    let axis = face_axis(face);
    let upper = cell + unit(axis) * (face & 1);
    if wall_face(upper, axis) { return 0.0; }
    let open = open_face(upper, axis) || !runs_in(neighbor(cell, face));
    if whole(cell) { return select(1.0, f32(2 * WIDENING) / f32(WIDENING + 1), open); }
    var share = 1.0;
    for (var other = 0; other < DIM; other++) { share *= select(breadth(cell, other) / f32(WIDENING), 1.0, other == axis); }
    // Beyond an open border the pressure is zero in the middle of the first of the finest cells.
    let opposite = (neighbor(cell, face) + RESOLUTION) % RESOLUTION;
    let way = breadth(cell, axis) + select(breadth(opposite, axis), 1.0, open);
    return share * f32(2 * WIDENING) / way;
}

// How much of a cell lies in the domain along an axis, in finest cells: the last of a row may reach beyond it.
fn breadth(cell: Cell, axis: i32) -> f32 {
    var inside = min(FINEST - cell * WIDENING, Cell(WIDENING));
    return f32(inside[axis]);
}

// Whether a cell and those around it lie in the domain whole. Where widening divides the finest cells, all do.
fn whole(cell: Cell) -> bool {
    return all(FINEST == RESOLUTION * WIDENING) || (all(cell > Cell(0)) && all(cell < RESOLUTION - 2));
}
