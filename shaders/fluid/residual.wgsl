//! Residual
//! Residual of the pressure equation:  r = div(u) - lap(p),  with the compact Laplacian of the pressure stages.
//! Source: definition; Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 2.
//!
//! @in  divergence: Grid<f32>               Velocity divergence [1/s]
//! @in  pressure: Grid<f32> = 0, open zero  Pressure x dt / density [m^2/s]
//! @in  open: Grid<f32> = 1                 1 in cells that fluid can fill, 0 in walls
//! @out residual: Grid<f32>                 Divergence that the pressure does not remove, 0 in walls [1/s]

fn stage(cell: Cell) -> f32 {
    if open_wired && open(cell) < 0.5 { return 0.0; }
    var laplacian = 0.0;
    var lower = 0.0;
    for (var face = 0; face < FACES; face++) {
        var slope = pressure(neighbor(cell, face)) - pressure(cell);
        if open_wired && open(neighbor(cell, face)) < 0.5 { slope = 0.0; }
        if (face & 1) == 0 { lower = slope; } else { laplacian += lower + slope; }
    }
    return divergence(cell) - laplacian / (CELL_SIZE * CELL_SIZE);
}
