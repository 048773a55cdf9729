//! Hue, Saturation, Value
//! Turns the hues of an image and multiplies saturation and value (the brightest channel), of linear light. Saturation 0 gives the value as grey.
//! Keywords: HSV, colour correction, desaturate, grayscale, tint
//! Source: Smith, Color Gamut Transform Pairs, SIGGRAPH 1978 (the hexcone model).
//!
//! @in    image: Image                           The image
//! @out   result: Image, like image              The adjusted image
//! @param hue: f32 = 0, soft -180..180           Angle added to the hues: 120 makes red green [degrees]
//! @param saturation: f32 = 1, 0.., soft 0..2    Factor of the saturation, which stays within 1
//! @param value: f32 = 1, 0.., soft 0..4         Factor of the value
//! @use shared/hue

fn stage(cell: Cell) -> vec4f {
    let color = max(image(cell), vec4f());
    let value = max(max(color.r, color.g), color.b);
    // What each channel lacks of the brightest one: value times saturation for the darkest.
    let lack = value - color.rgb;
    let chroma = max(max(lack.r, lack.g), lack.b);
    let strength = min(params.saturation * chroma, value);
    let hue = hue_of(color.rgb, value, chroma) + params.hue / 60.0;
    return vec4f(params.value * (value - strength * (1.0 - pure(hue))), color.a);
}
