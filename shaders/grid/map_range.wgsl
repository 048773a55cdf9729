//! Map Range of Grids
//! Maps a range of values to another in each cell, of vectors component by component:  t = (a - from_low) / (from_high - from_low),
//! result = to_low + (to_high - to_low) f(t).  With from_low = from_high it is a threshold: to_high from there on, to_low below.
//! f is  t,  t^2 (3 - 2 t),  t^3 (t (6 t - 15) + 10)  or so many equal steps from 0 to 1; all but the first keep t within 0..1.
//! Keywords: fit, remap, smoothstep, threshold, step, posterize, normalize
//! Source: Perlin, Improving Noise, SIGGRAPH 2002 (the smoother step).
//!
//! @in    a: Grid<F>                            Any values
//! @out   result: Grid<F>, like a               The mapped values
//! @param from_low: f32 = 0, soft -10..10       Value that becomes to_low
//! @param from_high: f32 = 1, soft -10..10      Value that becomes to_high
//! @param to_low: f32 = 0, soft -10..10         Result for from_low
//! @param to_high: f32 = 1, soft -10..10        Result for from_high
//! @param shape: i32 = 0, 0..3                  0 linear, 1 smooth, 2 smoother, 3 steps
//! @param steps: i32 = 4, 2..256, soft 2..16    Number of values with steps
//! @param bounded: bool = true                  Keeps a linear map between to_low and to_high
//! @use shared/map_range

fn stage(cell: Cell) -> F {
    return params.to_low + (params.to_high - params.to_low) * shaped(part(a(cell)));
}
