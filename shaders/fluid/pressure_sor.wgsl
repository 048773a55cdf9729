//! Pressure (SOR)
//! One red-black successive over-relaxation sweep of the pressure Poisson equation  lap(p) = div(u).  Across a wall the pressure is the cell's own.
//! From zero about 2 N iterations solve it on N cells a side, at the best relaxation, and one alone next to nothing. Pressure (multigrid) has the same
//! ports and leaves a tenth of the divergence in one iteration; Pressure (SOR, watched) also checks what is left.
//! On N cells a side the best relaxation is near 2 / (1 + sin(pi / N)), from 1.7 on coarse grids to 1.98 on fine ones.
//! Source: Young, Iterative Methods for Solving Partial Difference Equations of Elliptic Type, 1954; Numerical Recipes.
//!
//! @iterations 40
//! @sweep checkerboard
//! @in    divergence: Grid<f32>, balanced     Velocity divergence [1/s]
//! @in    open: Grid<f32> = 1                 1 in cells that fluid can fill, 0 in walls
//! @inout pressure: Grid<f32> = 0, radius 1, open zero   Pressure x dt / density, refined by each sweep [m^2/s]
//! @param relaxation: f32 = 1.7, 0..2         Over-relaxation; 1 is Gauss-Seidel

fn stage(cell: Cell) -> f32 {
    var sum = 0.0;
    for (var face = 0; face < FACES; face++) {
        var next = pressure(neighbor(cell, face));
        if open_wired && open(neighbor(cell, face)) < 0.5 { next = pressure(cell); }
        sum += next;
    }
    let swept = (sum - divergence(cell) * CELL_SIZE * CELL_SIZE) / f32(FACES);
    return mix(pressure(cell), swept, params.relaxation);
}
