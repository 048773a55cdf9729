//! Constant Colour
//! An image of one colour.
//! Keywords: solid, fill, background
//! Source: none.
//!
//! @out   image: Image                            The image
//! @param color: color = (0.5, 0.5, 0.5, 1)       The colour

fn stage(cell: Cell) -> vec4f {
    return params.color;
}
