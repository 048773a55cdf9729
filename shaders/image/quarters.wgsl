//! Quarters
//! Shows four images in the quarters of one, side by side, each as a whole. Their domains have the extent of the result's, with any
//! resolution.
//! Keywords: side by side, compare, split, mosaic, grid, 2x2
//! Source: none, linear interpolation.
//!
//! @in    upper_left: Image                        The first image
//! @in    upper_right: Image = 0                   The second
//! @in    lower_left: Image = 0                    The third
//! @in    lower_right: Image = 0                   The fourth
//! @out   image: Image                             All four; set the node's `on` to the domain of the result
//! @param gap: f32 = 0.006, 0..0.5, soft 0..0.05   Width of the lines between them, as a fraction of the image's shorter side
//! @param color: color = (1, 1, 1, 1)              Colour of the lines

fn stage(cell: Cell) -> vec4f {
    let here = position(cell);
    let middle = SIZE / 2;
    let apart = abs(here.xy - middle.xy);
    if min(apart.x, apart.y) < 0.5 * params.gap * min(SIZE.x, SIZE.y) { return params.color; }
    // The place within the quarter, doubled.
    var there = here;
    let right = here.x >= middle.x;
    let upper = here.y >= middle.y;
    there.x = 2.0 * (here.x - select(0.0, middle.x, right));
    there.y = 2.0 * (here.y - select(0.0, middle.y, upper));
    if upper {
        if right { return upper_right_at(there); }
        return upper_left_at(there);
    }
    if right { return lower_right_at(there); }
    return lower_left_at(there);
}
