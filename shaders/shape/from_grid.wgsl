//! Shape from Grid
//! Signed distance at any position from a grid of distances, such as a drawing's or those of a shape that is costly to compute: linear between cell
//! centres, and beyond the grid the distance at its nearest place plus the way there, so that the shape ends within the grid.
//! Keywords: sample, interpolate, drawing
//! Source: none, linear interpolation.
//!
//! @in    grid: Grid<f32>                        Signed distances at cell centres, negative inside [m]
//! @out   distance: Field<f32>                   Signed distance, negative inside [m]
//! @param size: Vec = (1, 1, 1), 0.., soft 0..2  Extent of the grid from its lower corner at zero [m]

fn stage(position: Vec) -> f32 {
    let nearest = clamp(position, Vec(), params.size);
    return grid_at(nearest) + length(position - nearest);
}
