//! Liquid Lens
//! Reads a relief at the pixels of an image by cubic B-splines, so that neither outline nor thickness shows the cells of the solver.
//! Source: Sigg and Hadwiger, Fast Third-Order Texture Filtering, GPU Gems 2 ch. 20, 2005.
//!
//! @in    relief: Grid<vec4f>                    Share of f; 1 where known; inflation q in m^2; a cell's width in metres
//! @in    place: Field<Vec>                      From the image to the frame of the vessel [m]
//! @in    background: Image                      The image's domain
//! @out   lens: Grid<vec2f>, like background     Share of f, and inflation q in m^2

fn stage(cell: Cell) -> vec2f {
    let here = place(position(cell));
    let width = max(relief_at(here).w, 1e-9);
    let q = here.xy / width - 0.5;
    let first = floor(q);
    let t = q - first;
    let s = 1.0 - t;
    // Weights of the four cells along each axis, in two pairs, each read at once between its two cells.
    let w0 = s * s * s / 6.0;
    let w1 = 2.0 / 3.0 - 0.5 * t * t * (2.0 - t);
    let w3 = t * t * t / 6.0;
    let low = w0 + w1;
    let high = 1.0 - low;
    let below = (first - 0.5 + w1 / low) * width;
    let above = (first + 1.5 + w3 / high) * width;
    return high.y * (low.x * at(here, below.x, above.y) + high.x * at(here, above.x, above.y))
        + low.y * (low.x * at(here, below.x, below.y) + high.x * at(here, above.x, below.y));
}

fn at(here: Vec, x: f32, y: f32) -> vec2f {
    var point = here;
    point.x = x;
    point.y = y;
    return relief_at(point).xz;
}
