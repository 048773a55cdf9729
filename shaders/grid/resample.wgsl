//! Resample
//! Reads a field at the cell centres of another domain, by linear interpolation. Set the node's `on` to that domain.
//! Keywords: resize, scale, upsample, downsample
//! Source: none, linear interpolation.
//!
//! @in  field: Grid<F>      The field, on any domain
//! @out result: Grid<F>     The field on this node's domain

fn stage(cell: Cell) -> F {
    return field_at(position(cell));
}
