//! Displace Image
//! Reads an image, or any grid, at displaced positions by linear interpolation:  result(x) = image(x + amount by(x)).  Outside, the edge rule of
//! its domain applies.
//! Keywords: distort, warp, refract, offset
//! Source: none, linear interpolation.
//!
//! @in    image: Grid<F>                        The image, or any grid
//! @in    by: Grid<Vec>                         Displacement
//! @out   result: Grid<F>, like image           The displaced image
//! @param amount: f32 = 0.1, soft -1..1         Factor of the displacement [m]

fn stage(cell: Cell) -> F {
    return image_at(position(cell) + params.amount * by(cell));
}
