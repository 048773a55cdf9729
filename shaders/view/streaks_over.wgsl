//! Streaks Over
//! Puts streaks over an image:  image + (light - image) (1 - exp(-cover)),  as many thin layers would cover it.
//! Source: Porter and Duff, Compositing Digital Images, SIGGRAPH 1984.
//!
//! @in    image: Image                              The image, in linear light
//! @in    cover: Grid<f32>                          Sum of the opacities, from Streaks
//! @out   result: Image, like image                 The image with its streaks
//! @param light: color = (1.1, 1.15, 1.2, 0.8)      Light of a streak; alpha is its opacity

fn stage(cell: Cell) -> vec4f {
    let opacity = params.light.a * (1.0 - exp(-max(cover(cell), 0.0)));
    return vec4f(mix(image(cell).rgb, params.light.rgb, opacity), image(cell).a);
}
