//! Interface Normal
//! Unit normal of the interface, out of fluid f:  n = -grad c / |grad c|,  c the share of f, blurred so that its gradient is smooth. Its
//! divergence (Divergence) is the curvature, 1 / R for a disc of f. Where the share is constant there is no interface and n = 0.
//! Source: Brackbill, Kothe and Zemach, J. Comput. Phys. 100, 1992.
//!
//! @in    blurred: Grid<vec2f>                     Shares of f and g, blurred
//! @out   normal: Grid<Vec>, like blurred          Unit normal, or 0
//! @param level: f32 = 0.001, 0..1, soft 0..0.1    Gradient below which the share counts as constant [1/cell]

fn stage(cell: Cell) -> Vec {
    var slope = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        slope[axis] = 0.5 * (blurred(cell + unit(axis)).x - blurred(cell - unit(axis)).x);
    }
    let steepness = length(slope);
    return select(Vec(), -slope / max(steepness, 1e-20), steepness > params.level);
}
