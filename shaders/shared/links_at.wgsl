//! Links by position
//! Reads the inputs `links_a`, `links_b`, `links_c` and `links_d` at the centre of a cell of their domain.

// One of the thirteen links that a cell keeps (Links in space).
fn kept_at(centre: Vec, k: i32) -> f32 {
    if k < 3 { return links_a_at(centre)[k]; }
    if k < 7 { return links_b_at(centre)[k - 3]; }
    if k < 11 { return links_c_at(centre)[k - 7]; }
    return links_d_at(centre)[k - 11];
}
