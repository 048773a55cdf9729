//! Channel
//! One channel of an image as a grid of numbers: a colour, alpha, or what can be computed of them. Combine Channels makes images of grids.
//! Keywords: separate colour, split, RGB, HSV, luminance, grayscale, mask
//! Source: ITU-R BT.709 (luminance); Smith, Color Gamut Transform Pairs, SIGGRAPH 1978 (the hexcone model).
//!
//! @in    image: Image                       The image
//! @out   result: Grid<f32>, like image      The channel
//! @param channel: i32 = 4, 0..7             0 red, 1 green, 2 blue, 3 alpha, 4 luminance, 5 hue (0..1), 6 saturation, 7 value
//! @use shared/hue

fn stage(cell: Cell) -> f32 {
    let color = image(cell);
    let value = max(max(color.r, color.g), color.b);
    let chroma = value - min(min(color.r, color.g), color.b);
    switch params.channel {
        case 4 { return dot(color.rgb, vec3f(0.2126, 0.7152, 0.0722)); }
        case 5 { return fract(hue_of(color.rgb, value, chroma) / 6.0); }
        case 6 { return select(chroma / value, 0.0, value <= 0.0); }
        case 7 { return value; }
        default { return color[params.channel]; }
    }
}
