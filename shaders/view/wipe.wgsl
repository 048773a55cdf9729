//! Wipe
//! Shows two images or grids side by side in one frame, on either side of a line:  a where the line has passed, b elsewhere. Several in a row show more than two.
//! Keywords: split screen, compare, before and after
//! Source: the wipe of film and video; Porter and Duff, Compositing Digital Images, SIGGRAPH 1984 (held out mattes).
//!
//! @in    a: Grid<T>                              Left of the line (at angle 0)
//! @in    b: Grid<T>                              Right of it
//! @out   result: Grid<T>, like b                 Both
//! @param border: f32 = 0.5, soft 0..1            Where the line is, as a fraction of the way across: all of b at 0, all of a at 1
//! @param angle: f32 = 0, soft -180..180          Direction in which it moves, anticlockwise from the x axis [degrees]

fn stage(cell: Cell) -> T {
    let turn = radians(params.angle);
    let along = vec2f(cos(turn), sin(turn));
    let place = dot((position(cell) - 0.5 * SIZE).xy, along);
    let half = 0.5 * dot(SIZE.xy, abs(along));
    if place < (2.0 * params.border - 1.0) * half { return a(cell); }
    return b(cell);
}
