//! Bilateral Filter
//! Smooths a surface but not across its edges: a mean over a window, with weights by the distance d in the image
//! and by the difference in value,  w = exp(-d^2 / (2 sigma_space^2) - (v - v0)^2 / (2 sigma_range^2)).
//! Exact, with (2 radius + 1)^2 reads a pixel; Bilateral (separable, approximate) is cheaper. In 3D it filters each xy slice.
//! Empty pixels (where `scatter min` wrote nothing) stay empty and do not count.
//! Keywords: denoise, smooth, edge-preserving blur
//! Source: Tomasi and Manduchi, Bilateral Filtering for Gray and Color Images, ICCV 1998.
//!
//! @in    image: Grid<f32>, edge clamp, radius radius     Depth, or any other number a pixel
//! @out   result: Grid<f32>, like image                   The smoothed image
//! @param radius: i32 = 5, 0..32, fixed                   Half width of the window, about 2.5 sigma_space [cells]
//! @param sigma_space: f32 = 2, 0.01.., soft 0.5..6       Standard deviation by distance [cells]
//! @param sigma_range: f32 = 0.1, 1e-6.., soft 0.001..1   Standard deviation by value; higher edges are kept [units of the image]
//! @param disc: bool = false, fixed                       Omits the corners of the window, as OpenCV does
//! @param holes: bool = true, fixed                       Whether pixels may be empty; off is a little faster where none is
//! @param empty: f32 = 1e30                               Values above this are empty pixels [units of the image]

fn stage(cell: Cell) -> f32 {
    let center = image(cell);
    if params.holes != 0 && center > params.empty { return center; }
    // exp(-x / 2) = 2^(-x log2(e) / 2), and a division a tap would cost more than all the rest.
    let by_distance = 0.72134752 / (params.sigma_space * params.sigma_space);
    let by_difference = 0.84932180 / params.sigma_range;
    let own = by_difference * center;
    // The mean of differences from the centre, not of values: a depth is large beside its relief, and would round it away.
    var sum = 0.0;
    var total = 0.0;
    for (var j = -params.radius; j <= params.radius; j++) {
        // As far as a disc goes in this row. The half keeps a root that is a whole number from being rounded down.
        let chord = i32(sqrt(f32(params.radius * params.radius - j * j) + 0.5));
        let half = clamp(select(params.radius, chord, params.disc != 0), 0, params.radius);
        let across = f32(j) * f32(j);
        // Counted in floats: conversions run on the unit that exponentials wait for.
        var along = -f32(half);
        for (var i = -half; i <= half; i++) {
            let value = image(cell + unit(0) * i + unit(1) * j);
            var difference = by_difference * value - own;
            // So different that the weight is 0.
            if params.holes != 0 { difference = select(20.0, difference, value <= params.empty); }
            let weight = exp2(-by_distance * (along * along + across) - difference * difference);
            sum += weight * difference;
            total += weight;
            along += 1.0;
        }
    }
    return center + sum / (by_difference * total);
}
