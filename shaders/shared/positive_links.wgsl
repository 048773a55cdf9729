//! Positive links
//! Links of a cell, of which negative ones count as none. Reads the input `links`.
//! @use shared/link_stencil

// Link to one of the eight cells around (`offset`); there is none from or to a cell beyond a border, unless it is periodic.
fn link(cell: Cell, k: i32) -> f32 {
    let other = cell + offset(k);
    if !exists(cell) || !exists(other) { return 0.0; }
    if k < 4 { return max(links(cell)[k], 0.0); }
    return max(links(other)[k - 4], 0.0);
}
