//! Nearer
//! Puts two pictures of the same view together: in each pixel the one with the lesser depth.
//! Source: Duff, Compositing 3-D Rendered Images, SIGGRAPH 1985.
//!
//! @in    a: Image                        A picture
//! @in    a_depth: Grid<f32> = 3e38       Its depth [m]
//! @in    b: Image                        Another one of the same size; shows where both are equally deep
//! @in    b_depth: Grid<f32> = 3e38       Its depth [m]
//! @out   image: Image, like b            What is seen
//! @out   depth: Grid<f32>, like b        Its depth [m]

fn stage(cell: Cell) -> Result {
    if a_depth(cell) < b_depth(cell) { return Result(a(cell), a_depth(cell)); }
    return Result(b(cell), b_depth(cell));
}
