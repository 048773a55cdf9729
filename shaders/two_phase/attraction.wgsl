//! Attraction
//! Direction in which each fluid attracts itself: the gradient of its blurred fraction, like a normal map from a height map,
//! s(i) = (b(i + 1) - b(i - 1)) / 2h  along each axis.
//! Source: saharan, oil clock article, 2016, step 6.
//!
//! @in  blurred: Grid<vec2f>                       Shares of f and g, blurred
//! @out attraction_f: Grid<Vec>, like blurred      Gradient of f's blurred share [1/m]
//! @out attraction_g: Grid<Vec>, like blurred      Gradient of g's blurred share [1/m]

fn stage(cell: Cell) -> Result {
    var f = Vec();
    var g = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let slope = (blurred(cell + unit(axis)) - blurred(cell - unit(axis))) / (2.0 * CELL_SIZE);
        f[axis] = slope.x;
        g[axis] = slope.y;
    }
    return Result(f, g);
}
