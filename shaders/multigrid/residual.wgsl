//! Residual (variable density)
//! Residual of the pressure equation:  r = div(u) - div(w grad p),  0 in walls.
//! Source: Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 2.
//!
//! @in  divergence: Grid<f32>                    Outflow per volume [1/s]
//! @in  weight: FaceGrid                         Inverse mass on each face, 0 on walls [m^3/kg]
//! @in  pressure: Grid<f32>, open zero                      Pressure x dt [Pa s]
//! @in  part: Grid<u32> = 0                      Labels (Connected Parts)
//! @in  coarse: Grid<u32> = 0                    Labels of cells twice as wide (Coarse Faces, Coarse Weight): 0 is the residual where the wide cell stands for another part
//! @out residual: Grid<f32>, like divergence     Divergence that the pressure does not remove [1/s]
//! @use shared/weighted_inflow

fn stage(cell: Cell) -> f32 {
    if part_wired && coarse_at(position(cell)) != part(cell) { return 0.0; }
    let sums = weighted_inflow(cell);
    return select(0.0, divergence(cell) - sums.x / (CELL_SIZE * CELL_SIZE), sums.y > 0.0);
}
