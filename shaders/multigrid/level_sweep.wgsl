//! Sweep of a Level
//! One red-black sweep of the pressure equation on a coarse level, with cells wider than the domain's and any border.
//! Source: Wesseling, An Introduction to Multigrid Methods, 1992 (finite volumes); Young 1954 (over-relaxation).
//!
//! @sweep checkerboard
//! @in    divergence: Grid<f32>                Outflow per volume [1/s]
//! @in    weight: FaceGrid = 1                 Open part of each face between walls inside the domain
//! @inout pressure: Grid<f32> = 0, radius 1, open zero    Pressure x dt / density, refined by each sweep [m^2/s]
//! @param relaxation: f32 = 1.1, 0..2          Over-relaxation; 1 is Gauss-Seidel
//! @use shared/wide_faces

fn stage(cell: Cell) -> f32 {
    var sum = -divergence(cell) * CELL_SIZE * CELL_SIZE;
    var total = 0.0;
    for (var face = 0; face < FACES; face++) {
        var weight = across(cell, face);
        if weight_wired { weight *= weight_face(cell, face); }
        sum += weight * pressure(neighbor(cell, face));
        total += weight;
    }
    if total == 0.0 { return 0.0; }
    return mix(pressure(cell), sum / total, params.relaxation);
}
