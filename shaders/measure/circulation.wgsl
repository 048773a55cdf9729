//! Circulation
//! Circulation along a circle:  sum u . dl  over equal arcs, with u interpolated linearly at their middles. Positive anticlockwise, seen from the
//! axis' tip. The rule converges faster than any power of the arc; the interpolation leaves an error of second order in the cells.
//! Source: definition; Trefethen and Weideman, SIAM Review 56, 2014 (trapezoidal rule on a closed curve).
//!
//! @in    velocity: Grid<Vec>                                          Flow [m/s]
//! @out   circulation: f32, reduce sum                                 Integral of u . dl [m^2/s]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position   Centre of the circle [m]
//! @param radius: f32 = 0.25, 0.., soft 0..1, handle radius of center  Radius; the circle lies in the domain [m]
//! @param axis: i32 = 2, 0..2                                          Axis of the circle in 3D: 0 x, 1 y, 2 z. In 2D it is z
//! @param arcs: i32 = 256, 3..4096                                     Number of arcs, at most one per cell of the domain
//! @use shared/cell_index

fn stage(cell: Cell) -> f32 {
    let arc = index(cell);
    let arcs = min(params.arcs, index(RESOLUTION - 1) + 1);
    if arc >= arcs { return 0.0; }
    let angle = 6.2831853 * (f32(arc) + 0.5) / f32(arcs);
    let first = select((params.axis + 1) % 3, 0, DIM == 2);
    let second = select((params.axis + 2) % 3, 1, DIM == 2);
    let e = Vec(unit(first));
    let f = Vec(unit(second));
    let u = velocity_at(params.center + params.radius * (cos(angle) * e + sin(angle) * f));
    return dot(u, cos(angle) * f - sin(angle) * e) * params.radius * 6.2831853 / f32(arcs);
}
