//! Bilateral Filter
//! Smooths a surface but not across its edges: a mean over a window that weighs each pixel by its distance d in the image
//! and by its difference in value,  w = exp(-d^2 / (2 sigma_space^2) - (v - v0)^2 / (2 sigma_range^2)).
//! Exact, with (2 radius + 1)^2 reads a pixel; Bilateral (separable, approximate) is cheaper. In 3D, each xy slice.
//! Empty pixels (what `scatter min` leaves where nothing was drawn) stay empty and do not count.
//! Source: Tomasi and Manduchi, Bilateral Filtering for Gray and Color Images, ICCV 1998.
//!
//! @in    image: Grid<f32>, edge clamp, radius radius     Depth, or any other number a pixel
//! @out   result: Grid<f32>, like image                   The smoothed image
//! @param radius: i32 = 5, 0..16                          Half width of the window, some 2.5 sigma_space [cells]
//! @param sigma_space: f32 = 2, 0.01.., soft 0.5..6       Standard deviation by distance [cells]
//! @param sigma_range: f32 = 0.1, 1e-6.., soft 0.001..1   Standard deviation by value; higher edges stay [units of the image]
//! @param disc: bool = false                              Leaves out the corners of the window, as OpenCV does
//! @param empty: f32 = 1e30                               Values above this are empty pixels [units of the image]

// Differences of four pixels from the centre. An empty one is taken for so different that its weight is 0.
fn differences(values: vec4f, center: f32) -> vec4f {
    return select(vec4f(20.0 * params.sigma_range), values - center, values <= vec4f(params.empty));
}

fn stage(cell: Cell) -> f32 {
    let center = image(cell);
    if center > params.empty { return center; }
    // exp(-x / 2) = 2^(-x log2(e) / 2), and a division a tap would cost more than all the rest.
    let by_distance = 0.72134752 / (params.sigma_space * params.sigma_space);
    let by_difference = 0.84932180 / params.sigma_range;
    let reach = params.radius * params.radius * select(2, 1, params.disc != 0);
    // Differences from the centre, not values: a depth is large beside its relief, and would round it away. Four pixels at the
    // same distance are taken together; distances are counted in floats, as conversions run on the unit that exponentials wait for.
    var sum = vec4f();
    var total = vec4f(1.0, 0.0, 0.0, 0.0);
    var along = 1.0;
    for (var step = 1; step <= params.radius; step++) {
        let x = unit(0) * step;
        let y = unit(1) * step;
        let difference = differences(vec4f(image(cell + x), image(cell - x), image(cell + y), image(cell - y)), center);
        let scaled = by_difference * difference;
        let weight = exp2(-by_distance * (along * along) - scaled * scaled);
        sum += weight * difference;
        total += weight;
        along += 1.0;
    }
    for (var j = 1; j <= params.radius; j++) {
        // As far as the window goes in these rows. The half keeps a root that is a whole number from being rounded down.
        let half = clamp(i32(sqrt(f32(reach - j * j) + 0.5)), 0, params.radius);
        let above = cell + unit(1) * j;
        let below = cell - unit(1) * j;
        let across = f32(j) * f32(j);
        along = 1.0;
        for (var i = 1; i <= half; i++) {
            let x = unit(0) * i;
            let difference = differences(vec4f(image(above + x), image(above - x), image(below + x), image(below - x)), center);
            let scaled = by_difference * difference;
            let weight = exp2(-by_distance * (along * along + across) - scaled * scaled);
            sum += weight * difference;
            total += weight;
            along += 1.0;
        }
    }
    return center + dot(sum, vec4f(1.0)) / dot(total, vec4f(1.0));
}
