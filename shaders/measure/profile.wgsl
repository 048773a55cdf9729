//! Profile along a Line
//! Values along a straight line by linear interpolation, at the centres of equal parts. Set the node's `on` to a domain of
//! n x 1 (x 1) cells: x counts the parts.
//! Source: none, linear interpolation.
//!
//! @in    field: Grid<F>                                           Any values, on any domain
//! @out   profile: Grid<F>                                         Its values along the line
//! @param start: Vec = (0, 0.5, 0.5), soft -2..2, handle position  Start of the line [m]
//! @param end: Vec = (1, 0.5, 0.5), soft -2..2, handle position    End of the line [m]

fn stage(cell: Cell) -> F {
    let t = (f32(cell.x) + 0.5) / f32(RESOLUTION.x);
    return field_at(params.start + t * (params.end - params.start));
}
