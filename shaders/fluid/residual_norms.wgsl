//! Residual Norms
//! Greatest magnitudes of the residual of the pressure equation  r = div(u) - lap(p),  of the divergence and of the pressure.
//! Source: definition; Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 2.
//!
//! @in  divergence: Grid<f32>               Velocity divergence [1/s]
//! @in  pressure: Grid<f32> = 0, open zero  Pressure x dt / density [m^2/s]
//! @in  open: Grid<f32> = 1                 1 in cells that fluid can fill, 0 in walls
//! @out norms: vec4f, reduce max            Residual [1/s], divergence [1/s], pressure over the square of a cell's width [1/s], and 0

fn stage(cell: Cell) -> vec4f {
    if open_wired && open(cell) < 0.5 { return vec4f(); }
    var laplacian = 0.0;
    var lower = 0.0;
    for (var face = 0; face < FACES; face++) {
        var slope = pressure(neighbor(cell, face)) - pressure(cell);
        if open_wired && open(neighbor(cell, face)) < 0.5 { slope = 0.0; }
        if (face & 1) == 0 { lower = slope; } else { laplacian += lower + slope; }
    }
    let area = CELL_SIZE * CELL_SIZE;
    return vec4f(abs(divergence(cell) - laplacian / area), abs(divergence(cell)), abs(pressure(cell)) / area, 0.0);
}
