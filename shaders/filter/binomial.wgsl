//! Binomial Blur
//! A blur with the weights (1 2 1) / 4 along each axis, over the 3^DIM cells around. n iterations approximate a Gaussian with a
//! standard deviation of sqrt(n / 2) cells.
//! Keywords: Gaussian blur, smooth
//! Source: Burt, Fast Filter Transforms for Image Processing, Computer Graphics and Image Processing 16, 1981.
//!
//! @inout field: Grid<F> = 0, radius 1      The field, blurred by each iteration

const TAPS = 9 * (2 * DIM - 3); // 3^DIM

fn stage(cell: Cell) -> F {
    var sum = F();
    for (var tap = 0; tap < TAPS; tap++) {
        var place = cell;
        var weight = 1.0;
        var rest = tap;
        for (var axis = 0; axis < DIM; axis++) {
            let offset = rest % 3 - 1;
            place += offset * unit(axis);
            weight *= 0.5 - 0.25 * f32(abs(offset));
            rest /= 3;
        }
        sum += field(place) * weight;
    }
    return sum;
}
