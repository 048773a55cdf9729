//! Residual of a Level
//! Residual of the pressure equation on a coarse level, with cells wider than the domain's.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992 (finite volumes).
//!
//! @in    divergence: Grid<f32>       Outflow per volume [1/s]
//! @in    pressure: Grid<f32>, open zero         Pressure x dt / density [m^2/s]
//! @in    weight: FaceGrid = 1        Open part of each face between walls inside the domain
//! @in    part: Grid<u32> = 0         Labels (Connected Parts)
//! @in    coarse: Grid<u32> = 0       Labels of cells twice as wide (Coarse Faces, Coarse Weight): 0 is the residual where the wide cell stands for another part
//! @out   residual: Grid<f32>         Divergence that the pressure does not remove [1/s]

fn stage(cell: Cell) -> f32 {
    if part_wired && coarse_at(position(cell)) != part(cell) { return 0.0; }
    var inflow = 0.0;
    for (var face = 0; face < FACES; face++) {
        var weight = across(cell, face);
        if weight_wired { weight *= weight_face(cell, face); }
        inflow += weight * (pressure(neighbor(cell, face)) - pressure(cell));
    }
    return divergence(cell) - inflow / (CELL_SIZE * CELL_SIZE);
}

// Weight of a face: its part inside the domain, over the way between the middles of what the two cells have inside it.
fn across(cell: Cell, face: i32) -> f32 {
    let axis = face_axis(face);
    let upper = cell + unit(axis) * (face & 1);
    if wall_face(upper, axis) { return 0.0; }
    if whole(cell) { return select(1.0, f32(2 * WIDENING) / f32(WIDENING + 1), open_face(upper, axis)); }
    var share = 1.0;
    for (var other = 0; other < DIM; other++) { share *= select(breadth(cell, other) / f32(WIDENING), 1.0, other == axis); }
    // Beyond an open border the pressure is zero in the middle of the first of the finest cells.
    let opposite = (neighbor(cell, face) + RESOLUTION) % RESOLUTION;
    let way = breadth(cell, axis) + select(breadth(opposite, axis), 1.0, open_face(upper, axis));
    return share * f32(2 * WIDENING) / way;
}

// Whether a cell and those around it lie in the domain whole. Where widening divides the finest cells, all do.
fn whole(cell: Cell) -> bool {
    return all(FINEST == RESOLUTION * WIDENING) || (all(cell > Cell(0)) && all(cell < RESOLUTION - 2));
}

// How much of a cell lies in the domain along an axis, in finest cells: the last of a row may reach beyond it.
fn breadth(cell: Cell, axis: i32) -> f32 {
    var inside = min(FINEST - cell * WIDENING, Cell(WIDENING));
    return f32(inside[axis]);
}
