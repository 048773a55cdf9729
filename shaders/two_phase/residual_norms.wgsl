//! Residual Norms (variable density)
//! Greatest magnitudes of the residual of the pressure equation  r = div(u) - div(w grad p),  of the divergence, and of what the pressure adds to it. Walls have none.
//! Source: definition; Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 2.
//!
//! @in  divergence: Grid<f32>               Outflow per volume [1/s]
//! @in  weight: FaceGrid                    Inverse mass on each face, 0 on walls [m^3/kg]
//! @in  pressure: Grid<f32> = 0, open zero  Pressure x dt [Pa s]
//! @out norms: vec4f, reduce max            Residual [1/s], divergence [1/s], weights times pressure over the square of a cell's width [1/s], and 0
//! @use shared/weighted_inflow

fn stage(cell: Cell) -> vec4f {
    let sums = weighted_inflow(cell);
    if sums.y == 0.0 { return vec4f(); }
    let area = CELL_SIZE * CELL_SIZE;
    return vec4f(abs(divergence(cell) - sums.x / area), abs(divergence(cell)), sums.y * abs(pressure(cell)) / area, 0.0);
}
