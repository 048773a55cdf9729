//! Ramp
//! An image of a gradient between two points. Both are fractions of the image's size, (0, 0) in the lower left corner; distances and angles are
//! as in the image.
//! Keywords: gradient, linear, radial, angular, conical, vignette, background
//! Source: none.
//!
//! @out   image: Image                                          The image
//! @param ramp: gradient = [(0, "#000000"), (1, "#ffffff")]    Colours from the first point to the second
//! @param shape: i32 = 0, 0..2                                  0 linear, 1 radial, 2 angular
//! @param outside: i32 = 0, 0..2                                0 hold, 1 repeat, 2 mirror. Colours beyond the two points
//! @param first: vec2f = (0, 0.5), soft 0..1, handle position   Beginning of a linear ramp; centre of the others
//! @param second: vec2f = (1, 0.5), soft 0..1, handle position  Its end; a point on the rim of a radial ramp; the direction where an angular one begins, counter-clockwise

fn stage(cell: Cell) -> vec4f {
    let along = (params.second - params.first) * SIZE.xy;
    let from_first = position(cell).xy - params.first * SIZE.xy;
    let squared = max(dot(along, along), 1e-20);
    // Components along and across the direction.
    let local = vec2f(dot(from_first, along), dot(vec2f(-along.y, along.x), from_first)) / squared;
    switch params.shape {
        case 0 { return ramp(repeated(local.x)); }
        case 1 { return ramp(repeated(length(local))); }
        default { return ramp(fract(atan2(local.y, local.x) / 6.28318531 + 1.0)); }
    }
}

fn repeated(t: f32) -> f32 {
    switch params.outside {
        case 0 { return t; }
        case 1 { return fract(t); }
        default { return 1.0 - abs(1.0 - 2.0 * fract(0.5 * t)); }
    }
}
