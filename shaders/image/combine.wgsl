//! Combine Channels
//! An image of grids of numbers: red, green and blue, or hue (0..1 for a turn from red), saturation and value.
//! Keywords: combine colour, merge, RGB, HSV, alpha
//! Source: Smith, Color Gamut Transform Pairs, SIGGRAPH 1978 (the hexcone model).
//!
//! @in    x: Grid<f32> = 0          Red, or hue
//! @in    y: Grid<f32> = 0          Green, or saturation
//! @in    z: Grid<f32> = 0          Blue, or value
//! @in    alpha: Grid<f32> = 1      Alpha
//! @out   image: Image              The image
//! @param model: i32 = 0, 0..1      0 red green blue, 1 hue saturation value
//! @use shared/hue

fn stage(cell: Cell) -> vec4f {
    let parts = vec3f(x(cell), y(cell), z(cell));
    if params.model == 0 { return vec4f(parts, alpha(cell)); }
    return vec4f(parts.z * (1.0 - parts.y * (1.0 - pure(6.0 * parts.x))), alpha(cell));
}
