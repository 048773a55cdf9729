//! Links of a cell in space
//! Reads the inputs `links_a`, `links_b`, `links_c` and `links_d` on their own domain.
//! @use shared/links_3d
//! @use shared/existing_cell

// Link to one of the 26 cells around (`offset`); there is none through a border, unless it is periodic.
fn link(cell: Cell, k: i32) -> f32 {
    if k < KEPT { return kept(cell, k); }
    let other = cell + offset(k);
    if !exists(other) { return 0.0; }
    return kept(other, k - KEPT);
}

fn kept(cell: Cell, k: i32) -> f32 {
    if k < 3 { return links_a(cell)[k]; }
    if !links_b_wired { return 0.0; }
    if k < 7 { return links_b(cell)[k - 3]; }
    if k < 11 { return links_c(cell)[k - 7]; }
    return links_d(cell)[k - 11];
}
