//! Points Resolve
//! Draws summed points over an image L0 as smoke that emits and absorbs:  with w the sum of weights and c the mean colour,
//! L = L0 exp(-opacity w) + exposure c (1 - exp(-opacity w)) / opacity.  Opacity 0 only adds light. Put Tone Map after it.
//! Source: emission and absorption in a slab, Max, Optical Models for Direct Volume Rendering, IEEE TVCG 1, 1995.
//!
//! @in    light: Grid<vec4f>                             Sum of colour times weight, and of weights
//! @in    background: Image = (0.005, 0.006, 0.01, 1)    The background, in linear light
//! @out   image: Image, like light                       The image, in linear light
//! @param exposure: f32 = 1, 0.., soft 0..4              Brightness of the points
//! @param opacity: f32 = 0.3, 0.., soft 0..2             How strongly points hide what is behind them

fn stage(cell: Cell) -> vec4f {
    let sum = max(light(cell), vec4f());
    let depth = params.opacity * sum.w;
    // (1 - exp(-x)) / x, which is 1 for a thin layer.
    let thick = select(1.0 - 0.5 * depth, (1.0 - exp(-depth)) / max(depth, 1e-4), depth > 1e-2);
    let behind = max(background_at(position(cell)).rgb, vec3f());
    return vec4f(behind * exp(-depth) + params.exposure * thick * sum.rgb, 1.0);
}
