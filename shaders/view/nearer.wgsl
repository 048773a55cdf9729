//! Nearer
//! Combines two images of the same view: each pixel shows the one with the smaller depth.
//! Source: Duff, Compositing 3-D Rendered Images, SIGGRAPH 1985.
//!
//! @in    a: Image                        An image
//! @in    a_depth: Grid<f32> = 3e38       Its depth [m]
//! @in    b: Image                        Another one of the same size; shown where both depths are equal
//! @in    b_depth: Grid<f32> = 3e38       Its depth [m]
//! @out   image: Image, like b            The combined image
//! @out   depth: Grid<f32>, like b        Its depth [m]

fn stage(cell: Cell) -> Result {
    if a_depth(cell) < b_depth(cell) { return Result(a(cell), a_depth(cell)); }
    return Result(b(cell), b_depth(cell));
}
