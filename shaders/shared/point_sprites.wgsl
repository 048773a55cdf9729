//! Point sprites
//! Sizes and colours of points on an image. Reads `params.low`, `middle` and `high`.

// Limits of radii and of the pixels of a point.
const LEAST_RADIUS = 1.0; // in pixels
const MOST_RADIUS = 7.0;
const MOST_PIXELS = 256;

// The colour of a tone from 0 to 1.
fn color(tone: f32) -> vec4f {
    if tone < 0.5 { return mix(params.low, params.middle, 2.0 * tone); }
    return mix(params.middle, params.high, 2.0 * tone - 1.0);
}
