//! Courant Number
//! Checks that a step is short enough for a flow at cell centres: the cells that its fastest part crosses,  max(dt |u| / h).  Substeps of a graph can follow it.
//! Source: Courant, Friedrichs and Lewy 1928.
//!
//! @in    velocity: Grid<Vec>                     The flow that carries [m/s]
//! @in    open: Grid<f32> = 1                     1 in cells that fluid can fill, 0 in walls
//! @out   courant: f32, reduce max, expect 0..5   Cells that the fastest flow crosses in a step, dt |u| / h. Above 5 paths that turn are cut short, and frames per second change the motion: use more substeps or frames per second, or wider cells

fn stage(cell: Cell) -> f32 {
    return select(0.0, length(velocity(cell)) * frame.dt / CELL_SIZE, open(cell) > 0.5);
}
