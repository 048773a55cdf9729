//! Gaussian Pass
//! Gaussian blur along one axis,  q'(i) = sum_k w_k q(i + k) / sum_k w_k,  w_k = exp(-k^2 / (2 sigma^2)),  |k| <= radius.
//! The blur is separable: one pass along each axis is exact. Outside the grid the edge rule of the domain
//! applies; `wrap` and `mirror` conserve the sum over all cells, and these and `clamp` conserve constants.
//! Source: none, a truncated and normalised Gaussian.
//!
//! @in    field: Grid<F>                         Thickness, image, any field
//! @out   result: Grid<F>, like field            The field blurred along the axis
//! @param axis: i32 = 0, 0..2                    0 along x, 1 along y, 2 along z (no effect in 2D)
//! @param radius: i32 = 6, 0..64                 Cells on either side, about 3 times sigma; 0 changes nothing [cells]
//! @param sigma: f32 = 2, 0.01.., soft 0.5..20   Standard deviation of the blur [cells]

fn stage(cell: Cell) -> F {
    if params.axis >= DIM { return field(cell); }
    var sum = field(cell);
    var total = 1.0;
    // exp(-x / 2) = 2^(-x log2(e) / 2), counted in floats and without a division a tap.
    let by_distance = 0.72134752 / (params.sigma * params.sigma);
    var along = 1.0;
    for (var step = 1; step <= params.radius; step++) {
        let offset = unit(params.axis) * step;
        let weight = exp2(-by_distance * (along * along));
        sum += (field(cell - offset) + field(cell + offset)) * weight;
        total += 2.0 * weight;
        along += 1.0;
    }
    return sum * (1.0 / total);
}
