//! Number in the Image
//! Writes a number over an image, with so many significant digits: 2.67, 0.0123, 1.05e-4. Powers of ten are used below 0.01 and from 100000.
//! A value that is not finite is written as three dashes.
//! Keywords: text, label, digits, caption, annotate
//! Source: none, characters of 5 x 7 squares.
//!
//! @in    image: Image                                       What it is written on
//! @in    value: f32                                         The number
//! @out   result: Image, like image                          The image with the number
//! @param place: vec2f = (0.02, 0.02), soft 0..1, handle position  Lower left corner of the text, as fractions of the image's size
//! @param height: f32 = 0.04, 0.001..1, soft 0.01..0.2       Height of a digit, as a fraction of the image's height
//! @param digits: i32 = 3, 1..6                              Significant digits
//! @param color: color = (1, 1, 1, 1)                        Colour of the digits
//! @param shade: f32 = 0.6, 0..1                             How much the image is darkened behind the text

// Rows from the bottom, five bits each, the left column in the lowest: four rows in x, three in y. The digits, then . - e
const GLYPHS = array<vec2u, 13>(
    vec2u(0xace2e, 0x3a39), vec2u(0x2108e, 0x10c4), vec2u(0x4105f, 0x3a30), vec2u(0x4422e, 0x7d04),
    vec2u(0x4fd08, 0x218a), vec2u(0x8422e, 0x7c2f), vec2u(0x7c62e, 0x3041), vec2u(0x20842, 0x7e08),
    vec2u(0x7462e, 0x3a31), vec2u(0xf4106, 0x3a31), vec2u(0x000c6, 0x0000), vec2u(0xf8000, 0x0000),
    vec2u(0x8fc2e, 0x000e),
);
const POINT = 10u;
const MINUS = 11u;
const EXPONENT = 12u;

struct Text {
    glyphs: array<u32, 16>,
    length: i32,
}

fn put(text: ptr<function, Text>, glyph: u32) {
    (*text).glyphs[min((*text).length, 15)] = glyph;
    (*text).length += 1;
}

// A whole number with a point before its last decimals.
fn put_decimal(text: ptr<function, Text>, number: u32, decimals: i32) {
    var divisor = 100000000u;
    var begun = false;
    for (var place = 8; place >= 0; place--) {
        let digit = (number / divisor) % 10u;
        begun = begun || digit > 0u || place <= decimals;
        if begun { put(text, digit); }
        if place == decimals && place > 0 { put(text, POINT); }
        divisor /= 10u;
    }
}

fn power_of_ten(exponent: i32) -> f32 {
    var power = 1.0;
    for (var i = 0; i < 40; i++) {
        if i < abs(exponent) { power *= 10.0; }
    }
    return power;
}

// value * 10^exponent. Divides by a power that f32 has exactly, where it can.
fn shifted(value: f32, exponent: i32) -> f32 {
    if exponent < 0 { return value / power_of_ten(exponent); }
    // 10^39 is beyond f32.
    let first = min(exponent, 30);
    return value * power_of_ten(first) * power_of_ten(exponent - first);
}

fn text_of(value: f32) -> Text {
    var text = Text();
    if (bitcast<u32>(value) & 0x7f800000u) == 0x7f800000u {
        for (var i = 0; i < 3; i++) { put(&text, MINUS); }
        return text;
    }
    let size = abs(value);
    if size < 1e-37 {
        put(&text, 0u);
        return text;
    }
    if value < 0.0 { put(&text, MINUS); }
    let most = power_of_ten(params.digits);
    var exponent = i32(floor(log2(size) * 0.30103));
    // Rounding of the logarithm and of the digits.
    if round(shifted(size, params.digits - 1 - exponent)) >= most { exponent += 1; }
    if round(shifted(size, params.digits - 1 - exponent)) < most / 10.0 { exponent -= 1; }
    if exponent >= -2 && exponent < 5 {
        let decimals = max(params.digits - 1 - exponent, 0);
        put_decimal(&text, u32(round(shifted(size, decimals))), decimals);
        return text;
    }
    put_decimal(&text, u32(round(shifted(size, params.digits - 1 - exponent))), params.digits - 1);
    put(&text, EXPONENT);
    if exponent < 0 { put(&text, MINUS); }
    put_decimal(&text, u32(abs(exponent)), 0);
    return text;
}

fn stage(cell: Cell) -> vec4f {
    let color = image(cell);
    let square = params.height * SIZE.y / 7.0;
    let at = (position(cell).xy - params.place * SIZE.xy) / square;
    if at.y < -2.0 || at.y >= 9.0 || at.x < -2.0 || at.x >= 98.0 { return color; }
    var text = text_of(value());
    if at.x >= f32(6 * text.length + 1) { return color; }
    let behind = vec4f(color.rgb * (1.0 - params.shade), max(color.a, params.shade));
    if at.y < 0.0 || at.y >= 7.0 || at.x < 0.0 { return behind; }
    let column = i32(at.x) % 6;
    let index = i32(at.x) / 6;
    if column > 4 || index >= text.length { return behind; }
    var glyphs = GLYPHS;
    let glyph = glyphs[text.glyphs[index]];
    let row = i32(at.y);
    let bits = select(glyph.y >> u32(5 * max(row - 4, 0)), glyph.x >> u32(5 * min(row, 3)), row < 4);
    if ((bits >> u32(column)) & 1u) == 0u { return behind; }
    return vec4f(mix(behind.rgb, params.color.rgb, params.color.a), max(behind.a, params.color.a));
}
