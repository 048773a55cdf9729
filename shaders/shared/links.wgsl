//! Links
//! Links of a cell. Reads the input `links`.
//! @use shared/link_stencil

// Link to one of the eight cells around (`offset`); there is none through a border, unless it is periodic.
fn link(cell: Cell, k: i32) -> f32 {
    if k < 4 { return links(cell)[k]; }
    let other = cell + offset(k);
    return select(0.0, links(other)[k - 4], exists(other));
}
