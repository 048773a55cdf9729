//! Over
//! Composites an image over another one:  alpha = f + b (1 - f),  colour = (f F + b (1 - f) B) / alpha,  for alphas f, b and
//! colours F, B of front and back. Colours are straight, not multiplied by their alpha; with `premultiplied`
//! all three images are premultiplied:  F + (1 - f) B.
//! Keywords: alpha over, composite, layer, merge
//! Source: Porter and Duff, Compositing Digital Images, SIGGRAPH 1984.
//!
//! @in    front: Image                    The front image
//! @in    back: Image                     The back image
//! @out   image: Image, like back         The composite
//! @param opacity: f32 = 1, 0..1          Factor on the alpha of the front
//! @param premultiplied: bool = false     Inputs and result are multiplied by their alpha

fn stage(cell: Cell) -> vec4f {
    let above = weighted(front(cell)) * params.opacity;
    let sum = above + weighted(back(cell)) * (1.0 - above.a);
    if params.premultiplied != 0 { return sum; }
    return vec4f(sum.rgb / max(sum.a, 1e-20), sum.a);
}

fn weighted(color: vec4f) -> vec4f {
    if params.premultiplied != 0 { return color; }
    return vec4f(color.rgb * color.a, color.a);
}
