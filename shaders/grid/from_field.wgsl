//! Grid from Field
//! Evaluates a field at every cell centre. Set the node's `on` to the domain of the grid.
//! Keywords: rasterize, sample, bake
//! Source: none, point samples.
//!
//! @in  field: Field<T>      A value at every position
//! @out result: Grid<T>      Its values at cell centres

fn stage(cell: Cell) -> T {
    return field(position(cell));
}
