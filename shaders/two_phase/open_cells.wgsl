//! Open Cells
//! Cells that fluid can fill: those whose centre is inside the vessel. A vessel is any signed distance, of a shape or an image.
//! Source: saharan, oil clock article, 2016 (walls); Foster and Metaxas, Graphical Models and Image Processing 58, 1996.
//!
//! @in    vessel: Grid<f32>             Signed distance to the vessel, negative inside [m]
//! @out   open: Grid<f32>, like vessel  1 in cells that fluid can fill, 0 in walls
//! @param obstacle: bool = false        The shape is solid and the fluid is around it

fn stage(cell: Cell) -> f32 {
    let inside = vessel(cell) < 0.0;
    return select(0.0, 1.0, inside != (params.obstacle != 0));
}
