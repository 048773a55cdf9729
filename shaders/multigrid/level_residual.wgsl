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
//! @use shared/wide_faces

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
