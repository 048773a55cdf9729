//! Rows of a dense matrix
//! What the links of a level's cells have in common as rows of a matrix. Reads the inputs `size` and `ground`.
//! @use shared/solved_level

// The sink that holds the pressure of a closed level in one of its cells.
fn held(number: i32) -> f32 {
    return select(0.0, ground(), ground() < 1e38 && i32(bitcast<u32>(ground()) & 1023u) == number);
}

// Whether no link leads from one cell to the other, also around periodic axes.
fn are_apart(own: vec3i, other: vec3i) -> bool {
    let apart = abs(other - own);
    return any((apart > vec3i(1)) & (apart < solved_cells() - 1));
}
