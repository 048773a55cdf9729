//! Carried faces
//! What a flow carries on faces: the input `field`, or unless that is wired, `velocity`.

// Values on the lower faces of a cell.
fn carried_faces(cell: Cell) -> Vec {
    if field_wired { return field(cell); }
    return velocity(cell);
}
