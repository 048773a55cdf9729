//! Number of cells
//! Cells of the domain.

// The number of cells of the domain.
fn cells() -> f32 {
    var count = 1.0;
    for (var axis = 0; axis < DIM; axis++) { count *= f32(RESOLUTION[axis]); }
    return count;
}
