//! Circulation around a Quadrilateral
//! Circulation along the straight lines from corner a over b, c and d back to a:  sum u . dl  over equal pieces, with u interpolated
//! linearly at their middles. Exact for linear flows, and of second order in the pieces and the cells. Corners may coincide.
//! Source: definition; midpoint rule.
//!
//! @in    velocity: Grid<Vec>                                      Flow [m/s]
//! @out   circulation: f32, reduce sum                             Integral of u . dl [m^2/s]
//! @param a: Vec = (0.25, 0.25, 0.5), soft -2..2, handle position  First corner; all lie in the domain [m]
//! @param b: Vec = (0.75, 0.25, 0.5), soft -2..2, handle position  Second corner [m]
//! @param c: Vec = (0.75, 0.75, 0.5), soft -2..2, handle position  Third corner [m]
//! @param d: Vec = (0.25, 0.75, 0.5), soft -2..2, handle position  Fourth corner [m]
//! @param pieces: i32 = 64, 1..1024                                Pieces of each side, at most a quarter of the domain's cells
//! @use shared/cell_index

fn stage(cell: Cell) -> f32 {
    let cells = index(RESOLUTION - 1) + 1;
    let pieces = max(min(params.pieces, cells / 4), 1);
    let piece = index(cell);
    if piece >= 4 * pieces { return 0.0; }
    var corners = array<Vec, 5>(params.a, params.b, params.c, params.d, params.a);
    let side = piece / pieces;
    let along = (corners[side + 1] - corners[side]) / f32(pieces);
    let middle = corners[side] + (f32(piece - side * pieces) + 0.5) * along;
    return dot(velocity_at(middle), along);
}
