//! Bilateral Pass
//! The bilateral filter along one axis,  w = exp(-d^2 / (2 sigma_space^2) - (v - v0)^2 / (2 sigma_range^2)).
//! One pass along x and one along y approximate the exact filter with 2 (2 radius + 1) reads a pixel instead of
//! (2 radius + 1)^2. The result is the same in flat areas, with faint streaks along the axes at slanted edges.
//! Empty pixels stay empty and do not count, as in Bilateral Filter.
//! Source: Pham and van Vliet, Separable Bilateral Filtering for Fast Video Preprocessing, ICME 2005.
//!
//! @in    image: Grid<f32>, edge clamp                    Depth, or any other number a pixel
//! @out   result: Grid<f32>, like image                   The image smoothed along the axis
//! @param axis: i32 = 0, 0..1                             0 along x, 1 along y
//! @param radius: i32 = 5, 0..64                          Half width of the window, about 2.5 sigma_space [cells]
//! @param sigma_space: f32 = 2, 0.01.., soft 0.5..6       Standard deviation by distance [cells]
//! @param sigma_range: f32 = 0.1, 1e-6.., soft 0.001..1   Standard deviation by value; higher edges are kept [units of the image]
//! @param empty: f32 = 1e30                               Values above this are empty pixels [units of the image]

fn stage(cell: Cell) -> f32 {
    let center = image(cell);
    if center > params.empty { return center; }
    // As in Bilateral Filter: powers of two, no division a tap, and an empty pixel is so different that its weight is 0.
    let by_distance = 0.72134752 / (params.sigma_space * params.sigma_space);
    let by_difference = 0.84932180 / params.sigma_range;
    var sum = vec2f();
    var total = vec2f(1.0, 0.0);
    var along = 1.0;
    for (var step = 1; step <= params.radius; step++) {
        let offset = unit(params.axis) * step;
        let values = vec2f(image(cell + offset), image(cell - offset));
        let difference = select(vec2f(20.0 * params.sigma_range), values - center, values <= vec2f(params.empty));
        let scaled = by_difference * difference;
        let weight = exp2(-by_distance * (along * along) - scaled * scaled);
        sum += weight * difference;
        total += weight;
        along += 1.0;
    }
    return center + (sum.x + sum.y) / (total.x + total.y);
}
