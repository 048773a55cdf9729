//! Test Card
//! A checkerboard that shows orientation and scale: red increases with x, green with y,
//! with a circle that must look round, and a bright square at the origin (lower left).
//! Source: none, a test image.
//!
//! @out   image: Image                                Test image
//! @param squares: i32 = 8, 1..1024, soft 2..32       Squares along the shorter side
//! @param contrast: f32 = 0.5, 0..1                   Difference between light and dark squares
//! @param light: color = (0.75, 0.75, 0.75, 1)        Light squares

fn stage(cell: Cell) -> vec4f {
    let point = position(cell).xy / min(SIZE.x, SIZE.y);
    let square = vec2i(floor(point * f32(params.squares)));
    let dark = (square.x + square.y) % 2 != 0;
    let tint = vec4f(position(cell).xy / SIZE.xy, 0.5, 1.0);
    let ground = params.light * (0.35 + 0.65 * tint) * select(1.0, 1.0 - params.contrast, dark);
    let middle = 0.5 * SIZE.xy / min(SIZE.x, SIZE.y);
    let line = 1.5 * CELL_SIZE / min(SIZE.x, SIZE.y);
    let circle = abs(distance(point, middle) - 0.45) < line;
    let cross = min(abs(point.x - middle.x), abs(point.y - middle.y)) < line && distance(point, middle) < 0.1;
    let origin = square.x == 0 && square.y == 0;
    let color = select(ground, vec4f(1.0), circle || cross || origin);
    return vec4f(color.rgb, params.light.a);
}
