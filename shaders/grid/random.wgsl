//! Random Grid
//! An independent random number in each cell, the same on every adapter.
//! Keywords: white noise, hash, Gaussian, normal distribution
//! Source: Box and Muller 1958 (the normal distribution).
//!
//! @out   result: Grid<f32>                     The random numbers
//! @param distribution: i32 = 0, 0..1           0 uniform, 1 normal (Gaussian)
//! @param mean: f32 = 0.5, soft -10..10         Mean
//! @param spread: f32 = 0.5, 0.., soft 0..10    Largest distance of a uniform number from the mean; standard deviation of a normal one
//! @param moving: bool = false                  Other numbers in every frame
//! @param seed: u32 = 0, soft 0..100            Random seed

fn stage(cell: Cell) -> f32 {
    let salt = 2u * (params.seed * 65536u + select(0u, u32(frame.index), params.moving != 0));
    let first = random(cell, salt);
    if params.distribution == 0 { return params.mean + params.spread * (2.0 * first - 1.0); }
    let angle = 6.28318531 * random(cell, salt + 1u);
    return params.mean + params.spread * sqrt(-2.0 * log(1.0 - first)) * cos(angle);
}
